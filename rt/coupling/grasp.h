#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Point at which the hand holds a body, X_grasp (Barbic 2007, Section 4): the coupling acts there,
/// its torques count about it, and the body turns about it where no contact holds it.
/// Its frame has the axes of the body. With a grasp at the body's origin, the two frames are the
/// same to the last bit.
class Grasp {
 public:
  Grasp() = default;
  /// @param point  in the body's frame [m]
  explicit Grasp(const Vector3& point) : point_(point), off_origin_(!point.isZero(0.0)) {}

  const Vector3& point() const HAPTIC_REALTIME { return point_; }
  /// Placement of the grasp's frame, with the body at `body`.
  Pose frame(const Pose& body) const HAPTIC_REALTIME {
    return off_origin_ ? Pose{body.to_world(point_), body.orientation} : body;
  }
  /// Placement of the body, with the grasp's frame at `frame`.
  Pose body(const Pose& frame) const HAPTIC_REALTIME {
    if (!off_origin_) return frame;
    return {frame.position - rotated(frame.orientation, point_), frame.orientation};
  }
  /// Velocity of the body's origin, with its grasp at `twist` and its axes at `orientation`.
  Twist body(const Twist& twist, const Quaternion& orientation) const HAPTIC_REALTIME {
    if (!off_origin_) return twist;
    return {twist.linear - twist.angular.cross(rotated(orientation, point_)), twist.angular};
  }

 private:
  Vector3 point_{0.0, 0.0, 0.0};
  bool off_origin_ = false;
};

}  // namespace haptic
