#pragma once

#include <cmath>
#include <span>

#include "shared/realtime.h"

namespace haptic {

/// Bounds beyond which a motion is no physics but a step that diverges. A world ends with
/// WorldStatus::kDiverged and the name of the body. Source: docs/methods/contact-and-coupling.md,
/// "Bounds of motion".

/// Of every part of a body [m/s]: a free fall gets there in 28 hours.
constexpr double kMaxMotionSpeed = 1e6;
/// Length of any part of a body over that at rest.
constexpr double kMaxMotionStretch = 1e3;

/// Whether each component is within a bound; false of NaN.
inline bool is_bounded(std::span<const double> components, double bound) HAPTIC_REALTIME {
  double largest = 0.0;
  double not_a_number = 0.0;  // zeros, or NaN
  for (const double v : components) {
    largest = std::abs(v) > largest ? std::abs(v) : largest;
    not_a_number += 0.0 * v;
  }
  return largest <= bound && not_a_number == 0.0;
}

/// The same of velocities [m/s].
inline bool is_bounded_speed(std::span<const double> components) HAPTIC_REALTIME {
  return is_bounded(components, kMaxMotionSpeed);
}

/// Whether a length over that at rest is within the bound; false of NaN.
inline bool is_bounded_stretch(double stretch) HAPTIC_REALTIME {
  return stretch <= kMaxMotionStretch;
}

}  // namespace haptic
