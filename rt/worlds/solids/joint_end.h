#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rt/contact/contact_solver.h"
#include "rt/contact/row_support.h"
#include "rt/contact/small_cholesky.h"
#include "rt/worlds/solids/joint.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

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
  /// Writes its blocks, ascending, from blocks[count] on. @returns the new count
  std::size_t add_blocks(std::span<std::uint32_t> blocks, std::size_t count) const HAPTIC_REALTIME;

  Placement placement;
  /// Stiffness against turns by the pull of its joints [N m/rad].
  Matrix3 tension = Matrix3::Zero();

 private:
  Matrix6 inverse_ = Matrix6::Zero();
  std::unique_ptr<SmallCholesky> factors_;  // of the block of the reduced coordinates
  bool factored_ = false;
  Eigen::VectorXd diagonal_, solution_;
};

/// The point and the axes of a joint on one of its bodies, during a step. On a body that deforms,
/// the point is a material point of it.
class JointEnd {
 public:
  /// @param displacement  of the point by the reduced coordinates, model frame, 3 x r; r = 0: rigid
  JointEnd(std::size_t body, Eigen::Matrix3Xd displacement);

  std::size_t body() const HAPTIC_REALTIME { return body_; }
  const JointSide& start() const HAPTIC_REALTIME { return start_; }

  /// Begins a step. @param at_rest  the joint's side on the body without deformation
  void begin(const JointSide& at_rest, const JointedBody::Placement& body) HAPTIC_REALTIME;
  /// After the motion x of all bodies.
  JointSide moved(const JointedBody::Placement& body,
                  const Eigen::VectorXd& x) const HAPTIC_REALTIME;
  /// Elements of a row for the change of the reduced coordinates. @param row  derivative of an
  /// equation with respect to the motion of the body, world  @param turn  of the body, since the
  /// start  @param to  r values
  void write_change(const Vector6& row, const Matrix3& turn,
                    std::span<double> to) const HAPTIC_REALTIME;
  std::size_t dimension() const HAPTIC_REALTIME {
    return static_cast<std::size_t>(displacement_.cols());
  }

 private:
  std::size_t body_;
  Eigen::Matrix3Xd displacement_;        // model frame
  Eigen::Matrix3Xd world_displacement_;  // at the start of the step
  JointSide start_{};
};

}  // namespace haptic
