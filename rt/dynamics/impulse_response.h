#pragma once

#include "shared/realtime.h"

namespace haptic {

/// Solution of y'' + c y' + k y = 0, y(0) = 0, y'(0) = 1 at a time t: y, y' and the integral of y.
/// The step of the oscillator under a force f that is constant over it follows exactly:
///   y+ = y + Y y' + I (f - k y)        y'+ = Y' y' + Y (f - k y)
struct ImpulseResponse {
  double y, rate, integral;  ///< Y [s], Y' [1], I [s^2]
};

/// @param k  of any sign [s^-2] @param c  >= 0 [s^-1] @param t  > 0 [s]
ImpulseResponse impulse_response(double k, double c, double t) HAPTIC_REALTIME;

}  // namespace haptic
