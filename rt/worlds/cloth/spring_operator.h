#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/cloth_springs.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_bands.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The matrix A = s_M M - s_D D - s_K K of a cloth, applied spring by spring.
///
/// K and D are the gradients of all forces by positions and by velocities: springs, dampers, drag,
/// springs to targets, the pull of spheres, and the wind's by velocities, by particle. A spring's
/// block is a I + b u u^T, five numbers: 40 bytes instead of the 72 of a 3 x 3 block, and each
/// spring is read once, four at a time (SpringBands). A product uses memory of the operator. A is
/// symmetric, and positive definite for s_M > 0, s_D, s_K >= 0. Source: docs/methods/cloth.md,
/// "Implicit steps".
class SpringOperator {
 public:
  /// Scales of M [1], D [s] and K [s^2].
  struct Scales {
    double mass = 1.0, damping = 0.0, stiffness = 0.0;
  };

  SpringOperator(const Springs& springs, std::size_t particles);

  /// Sets the matrix at positions x (3n values).
  /// @param left_out  one value a spring, or empty: springs with a value other than 0 are not in K
  ///                  and D
  void set(const ClothSystem& system, std::span<const double> x, Scales scales,
           std::span<const unsigned char> left_out = {}) HAPTIC_REALTIME;

  /// y = A z. 3n values each, apart.
  void multiply(std::span<const double> z, std::span<double> y) const HAPTIC_REALTIME;

  /// y = -s_K K z.
  void multiply_stiffness(std::span<const double> z, std::span<double> y) const HAPTIC_REALTIME;

  /// The 3 x 3 block of a particle, positive definite for s_M > 0; what of it is the particle's own
  /// times the identity, but for the wind; and the block a I + b u u^T of a spring.
  Matrix3 diagonal_block(std::size_t particle) const HAPTIC_REALTIME;
  double own(std::size_t particle) const HAPTIC_REALTIME { return own_[particle]; }
  /// What the wind adds to a particle's block; nothing where it is far below the mass.
  bool has_wind() const HAPTIC_REALTIME { return has_wind_; }
  Matrix3 wind(std::size_t particle) const HAPTIC_REALTIME { return wind_[particle].matrix(); }
  Matrix3 block(std::size_t spring) const HAPTIC_REALTIME;

 private:
  /// The springs' blocks: u, a, b, and b without the damping; in bands by slot, loose ones by
  /// their place in loose().
  struct Blocks {
    AlignedVector<double> x, y, z, across, along, elastic;
    explicit Blocks(std::size_t count);
    void set(std::size_t k, const SpringForces::Gradient& gradient, Scales scales) HAPTIC_REALTIME;
  };

  void set_bands(const SpringForces& forces, std::span<const double> x,
                 Scales scales) HAPTIC_REALTIME;
  void set_wind(const ClothSystem& system, Scales scales) HAPTIC_REALTIME;
  void set_diagonal() HAPTIC_REALTIME;
  /// y = own z + sum over springs.
  void multiply(std::span<const double> own, const AlignedVector<double> Blocks::*along,
                std::span<const double> z, std::span<double> y) const HAPTIC_REALTIME;

  std::vector<std::uint32_t> first_, second_;
  SpringBands bands_;
  Blocks in_bands_, loose_;
  std::vector<std::uint32_t> loose_place_;  // of a loose spring in loose_
  AlignedVector<double> own_;               // s_M m, and what acts on a particle alone
  AlignedVector<double> anchored_;          // what springs to targets and spheres add to s_K K
  std::vector<SymmetricBlock> wind_;
  bool has_wind_ = false;
  CoordinateArrays diagonal_, beside_;         // xx, yy, zz and yz, xz, xy of the particles' blocks
  mutable CoordinateArrays z_, plus_, minus_;  // working memory of a product
};

}  // namespace haptic::cloth
