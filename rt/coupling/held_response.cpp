#include "rt/coupling/held_response.h"

#include <algorithm>

namespace haptic {

Vector6 HeldResponse::motion(const Vector6& d) const HAPTIC_REALTIME {
  const double left = std::clamp(1.0 + release.dot(d), 0.0, 1.0);
  const double gone = 1.0 - left;
  const Vector6 z = free * d + left * (contact * d) - gone * gone * pushed;
  Vector6 bounded;
  bounded << limited(z.head<3>(), max_motion), limited(z.tail<3>(), max_rotation);
  return bounded;
}

}  // namespace haptic
