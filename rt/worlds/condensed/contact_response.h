#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "rt/coupling/held_response.h"
#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Derivative of the contact forces of a step by the motion d of the manipulandum: the contacts
/// that press stay on their branch of Coulomb's law, the others stay open.
///
/// With the tool's A z = K d - J^T lambda:  (S + J A^-1 J^T) dlambda = J A^-1 K d.  A contact that
/// sticks has its three rows. One that slides has the normal row, whose unknown is the pressure
/// with the friction that goes with it, mu p along the slip s; and a row across the slip with the
/// compliance |s| / (mu p), by which the force turns with the slip. Redundant contacts share the
/// forces in the least-norm way, to 1e-10 of the largest compliance.
/// Source: docs/methods/static-dynamic.md, "Tool".
class ContactResponse {
 public:
  using Jacobian = Eigen::Matrix<double, 3, 6>;
  /// Of c contacts, axes of the body's model.
  struct Solution {
    SymmetricView compliance;  ///< S, 3c x 3c, with that of viscous sliding [m/N]
    std::span<const Jacobian> jacobians;
    std::span<const double> normals;   ///< unit, 3c, against the pressing direction
    std::span<const double> forces;    ///< lambda, 3c [N]
    std::span<const double> slips;     ///< demand - (S + J A^-1 J^T) lambda of the step, 3c [m]
    std::span<const double> friction;  ///< c
  };

  /// @param capacity  of contacts. Allocates 9 capacity^2 doubles
  explicit ContactResponse(std::size_t capacity);

  /// `free`, `contact`, `pushed`, `release` and `reach` of the response, in the axes of the model.
  /// @param mobility   A^-1 @param stiffness  K, diagonal
  /// @param held_back  D, diagonal, 0 to 1: the motion is (Y - Y D Y) d instead of Y d
  /// Costs one factorisation of the rows of the contacts that press.
  /// @returns false, and leaves `response` as it is, if no contact presses or the rows are singular
  [[nodiscard]] bool find(const Solution& solution, const Matrix6& mobility,
                          const Vector6& stiffness, const Vector6& held_back,
                          HeldResponse& response) HAPTIC_REALTIME;

  /// Part of the friction limit from which on a contact counts as sliding.
  static constexpr double kAtLimit = 1.0 - 1e-9;

 private:
  static constexpr Eigen::Index kColumns = 6;
  /// A contact that presses: tests^T (...) trials is its diagonal block.
  struct Pressing {
    std::size_t contact, first_row;
    Eigen::Index rows;      // 1 to 3
    Matrix3 tests, trials;  // the first `rows` columns
    double turning;         // compliance of the second row of a sliding contact [m/N]
    double pressure;        // N
  };

  void choose_rows(const Solution& solution) HAPTIC_REALTIME;
  void assemble(const Solution& solution, const Matrix6& mobility,
                const Vector6& stiffness) HAPTIC_REALTIME;
  bool eliminate() HAPTIC_REALTIME;

  std::size_t stride_;
  std::vector<Pressing> pressing_;
  std::size_t count_ = 0, rows_ = 0;
  AlignedVector<double> matrix_;  // rows, and six right-hand sides, by rows
};

}  // namespace haptic::condensed
