#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "rt/worlds/solids/joint.h"
#include "rt/worlds/solids/jointed_body.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::solids {

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

}  // namespace haptic::solids
