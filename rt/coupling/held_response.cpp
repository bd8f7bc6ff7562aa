#include "rt/coupling/held_response.h"

#include <algorithm>
#include <cmath>

namespace haptic {

namespace {

/// Largest s of 0 to 1 with |a + s e| <= limit; 0 if |a| is above it.
double part_within(const Vector3& a, const Vector3& e, double limit) HAPTIC_REALTIME {
  if ((a + e).norm() <= limit) return 1.0;
  const double left = limit * limit - a.squaredNorm(), along = a.dot(e), length = e.squaredNorm();
  if (!(left > 0.0) || !(length > 0.0)) return 0.0;
  const double root = std::sqrt(along * along + length * left);
  // The positive root, without cancellation.
  return std::min(1.0, along > 0.0 ? left / (along + root) : (root - along) / length);
}

}  // namespace

Vector6 HeldResponse::motion(const Vector6& d) const HAPTIC_REALTIME {
  const double pressure = std::max(0.0, 1.0 + release.dot(d));
  // A wrench beyond the limit of friction, of a solution that ended before it had converged, would
  // be multiplied by a pressure that it does not belong to.
  const double size = pushed.head<3>().norm();
  const Vector6 held = size > reach ? Vector6(reach / size * pushed) : pushed;
  const Vector6 same = pressure * held;  // every contact force by the same factor
  const Vector6 shifted = held + contact * d - same;
  const double part =
      std::min(pressure, part_within(same.head<3>(), shifted.head<3>(), pressure * reach));
  const Vector6 z = free * d + same - held + std::min(part, 1.0) * shifted;
  Vector6 bounded;
  bounded << limited(z.head<3>(), max_motion), limited(z.tail<3>(), max_rotation);
  const double way = bounded.head<3>().norm() + arm * bounded.tail<3>().norm();
  if (arm > 0.0 && way > max_motion) bounded *= max_motion / way;
  return bounded;
}

}  // namespace haptic
