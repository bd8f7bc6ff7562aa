#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "rt/contact/contact_solver.h"
#include "rt/contact/small_cholesky.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// A body with joints, in the system of a step: six unknowns of its motion as a whole, if it moves,
/// and the changes of its reduced coordinates, if it deforms. Allocates in the constructor only.
class JointedBody {
 public:
  struct Placement {
    std::ptrdiff_t first_unknown = -1;   ///< of six; -1: at rest
    std::uint32_t block = 0;             ///< of these
    std::ptrdiff_t first_change = -1;    ///< of the reduced coordinates; -1: does not deform
    std::uint32_t change_block = 0;      ///< of these
    std::uint32_t change_before = 0;     ///< unknowns of that block before them: 6 if it is `block`
    std::uint32_t used = 0;              ///< changes that are not zero, from the first
    Pose pose{};                         ///< at the start of the step
    std::span<const double> q{};         ///< likewise, r values
    Vector3 origin = Vector3::Zero();    ///< about which it turns [m]
    Vector6 expected = Vector6::Zero();  ///< motion, as far as known before the step
    bool free = false;                   ///< its own block of the matrix is that of its mass
  };

  /// @param dimension  r of a body that deforms and has a joint, otherwise 0
  explicit JointedBody(std::uint32_t dimension = 0);

  /// Inverts its own blocks of the matrix. Call before compliance().
  void begin(ContactSolver& solver) HAPTIC_REALTIME;
  /// J A^-1 J^T of its own blocks.
  /// @param motion  row of the motion as a whole  @param change  r values, of the reduced
  /// coordinates
  double compliance(const Vector6& motion, std::span<const double> change) HAPTIC_REALTIME;
  /// J A^-1 K^T of the motion as a whole; 0 if it is at rest.
  double compliance(const Vector6& motion, const Vector6& other) const HAPTIC_REALTIME {
    return motion.dot(inverse_ * other);
  }
  /// Writes its blocks, ascending, from blocks[count] on. @returns the new count
  std::size_t add_blocks(std::span<std::uint32_t> blocks, std::size_t count) const HAPTIC_REALTIME;

  Placement placement;
  /// Stiffness against turns by the pull of its joints [N m/rad].
  Matrix3 tension = Matrix3::Zero();
  /// What of it a new linearisation of the joints has added to the matrix of the step, and the turn
  /// at which it has no force.
  Eigen::MatrixXd stiffening = Eigen::MatrixXd::Zero(3, 3);
  Vector3 centre = Vector3::Zero();
  bool relinearised = false, stiffened = false;

 private:
  Matrix6 inverse_ = Matrix6::Zero();
  std::unique_ptr<SmallCholesky> factors_;  // of the block of the reduced coordinates
  bool factored_ = false;
  Eigen::VectorXd diagonal_, solution_;
};

}  // namespace haptic::solids
