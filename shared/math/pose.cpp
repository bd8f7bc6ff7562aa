#include "shared/math/pose.h"

namespace haptic {

Vector3 rotation_logarithm(const Quaternion& q) HAPTIC_REALTIME {
  const Quaternion p = to_positive_hemisphere(q);
  const double s = p.vec().norm();
  if (s < 1e-12) return 2.0 * p.vec();
  return 2.0 * std::atan2(s, p.w()) / s * p.vec();
}

Vector3 limited(const Vector3& v, double maximum) HAPTIC_REALTIME {
  const double length = v.norm();
  return length <= maximum ? v : Vector3(maximum / length * v);
}

// Quaternion::FromTwoVectors contains a singular value decomposition, for opposite directions,
// which is costly to compile.
Quaternion smallest_rotation(const Vector3& from, const Vector3& to) HAPTIC_REALTIME {
  const Vector3 u = from.normalized(), v = to.normalized();
  const double cosine = u.dot(v);
  // Nearer to opposite directions, u x v has no correct digits.
  if (cosine < -1.0 + 1e-15) {
    const Vector3 across = u.unitOrthogonal();
    return {0.0, across.x(), across.y(), across.z()};
  }
  const double s = std::sqrt(2.0 * (1.0 + cosine));
  const Vector3 axis = u.cross(v) / s;
  return Quaternion(0.5 * s, axis.x(), axis.y(), axis.z()).normalized();
}

Pose interpolated(const Pose& from, const Pose& to, double t) HAPTIC_REALTIME {
  if (t == 0.0) return from;
  if (t == 1.0) return to;
  Pose pose;
  pose.position = from.position + t * (to.position - from.position);
  const Vector3 turn = rotation_logarithm(to.orientation * from.orientation.conjugate());
  pose.orientation = (rotation_exponential(t * turn) * from.orientation).normalized();
  return pose;
}

bool is_finite(const Pose& pose) HAPTIC_REALTIME {
  return pose.position.allFinite() && pose.orientation.coeffs().allFinite();
}

bool is_finite(const Wrench& wrench) HAPTIC_REALTIME {
  return wrench.force.allFinite() && wrench.torque.allFinite();
}

}  // namespace haptic
