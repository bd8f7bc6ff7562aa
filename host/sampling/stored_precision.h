#pragma once

#include "shared/math/pose.h"

namespace haptic {

/// A coordinate with the precision of the model file's float32.
/// Goes through memory: GCC 12 drops the conversion to float and back when it vectorises two
/// numbers (`v.cast<float>().cast<double>()` leaves x and y as they were).
inline double as_stored(double x) {
  volatile float stored = static_cast<float>(x);
  return static_cast<double>(stored);
}

inline Vector3 as_stored(const Vector3& v) {
  return {as_stored(v.x()), as_stored(v.y()), as_stored(v.z())};
}

}  // namespace haptic
