#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/aggregate_matrix.h"
#include "rt/worlds/cloth/particle_aggregates.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_operator.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Two levels of an approximate inverse of a cloth's matrix H, in the space that the constraints
/// allow: B r + P (P^T H P)^-1 P^T r.
///
/// B inverts the 3 x 3 block of each particle; a column of P moves a group of particles together.
/// The rigid translations of a free cloth are sums of such columns, so after correct() a residual
/// has no momentum. set(); add() contacts; factor(). Source: docs/methods/cloth.md,
/// "Preconditioner".
class ClothPreconditioner {
 public:
  /// Allocates; no other function does.
  ClothPreconditioner(const Springs& springs, std::size_t particles);

  /// Both outlive the use of this.
  void set(const SpringOperator& A, const ParticleConstraints& constraints) HAPTIC_REALTIME;
  /// Adds J^T K J, J z the sum of weights[k] z[particles[k]], k < count <= 3.
  void add(std::span<const std::uint32_t> particles, std::span<const double> weights,
           const Matrix3& K) HAPTIC_REALTIME;
  /// Of a set of particles: how many groups have them, 1 if the coarse matrix has room for all
  /// blocks between these.
  std::size_t parts(std::span<const std::uint32_t> particles) const HAPTIC_REALTIME;
  /// Adds J^T K J, J z the sum of gradients[k]^T z[particles[k]], a term of a positive semidefinite
  /// sum over particles of that many `parts`. With more than one the coarse matrix gets an upper
  /// bound of the sum, without blocks between groups.
  void add(std::span<const std::uint32_t> particles, std::span<const Matrix3> gradients,
           const Matrix3& K, std::size_t parts) HAPTIC_REALTIME;
  void factor() HAPTIC_REALTIME;

  /// to = M^-1 from; 3n values each, `from` filtered.
  void apply(std::span<const double> from, std::span<double> to) HAPTIC_REALTIME;
  /// z += P (P^T H P)^-1 P^T r: where that is the exact H, what is left has no part in P.
  void correct(std::span<const double> r, std::span<double> z) HAPTIC_REALTIME;

  const ParticleAggregates& aggregates() const HAPTIC_REALTIME { return aggregates_; }

 private:
  void add_block(std::size_t i, std::size_t j, const Matrix3& block) HAPTIC_REALTIME;
  void add_spring(std::uint32_t spring) HAPTIC_REALTIME;
  Matrix3 allowed(std::size_t particle, const Matrix3& block) const HAPTIC_REALTIME;
  void solve_coarse(std::span<const double> r) HAPTIC_REALTIME;

  const SpringOperator* A_ = nullptr;
  const ParticleConstraints* constraints_ = nullptr;
  ParticleAggregates aggregates_;
  std::vector<std::uint32_t> first_, second_;  // of the springs
  std::vector<std::uint32_t> crossing_;        // springs between groups, by their groups
  std::vector<std::uint32_t> springs_begin_, springs_of_;  // of each particle
  AggregateMatrix coarse_;
  std::vector<Matrix3> blocks_;  // n, inverted by factor()
  AlignedVector<double> small_;  // 3 values a group
};

}  // namespace haptic::cloth
