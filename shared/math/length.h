#pragma once

#include <cmath>

namespace haptic {

/// Length of a vector; not finite where a part is not. std::hypot of three numbers, which is 0 for
/// some that are not a number, is not for measured values.
inline double length(double x, double y, double z) {
  return std::sqrt(x * x + y * y + z * z);
}

}  // namespace haptic
