#include "rt/worlds/solids/joint_servo.h"

#include <algorithm>
#include <cmath>

namespace haptic::solids {
namespace {

/// Largest angle or decay of a servo in a step for which its damping is exact, and from which on
/// its motion is that of backward Euler.
constexpr double kSlow = 0.5, kFast = 1.0;
/// Least stiffness, over that of the servo: its spring may be a given force but for this.
constexpr double kMin = 1e-6;

}  // namespace

/// The force -k e - s J x, with e of the step's start, moves an inertia m by the factors z of
/// (1 + a) z^2 - (2 + a - k dt^2 / m) z + 1 = 0, where a = s dt^2 / m: the amplitude falls by
/// (1 + a)^(-1/2) a step. Backward Euler has s = k + c / dt.
ServoSpring servo_spring(const ServoSettings& servo, double inertia, double dt,
                         double offset) HAPTIC_REALTIME {
  double stiffness = servo.stiffness + servo.damping / dt;
  if (inertia > 0.0) {
    const double unit = inertia / (dt * dt);
    const double decay = servo.damping * dt / inertia;
    const double fast = std::max(std::sqrt(servo.stiffness / unit), decay);
    const double weight = std::clamp((kFast - fast) / (kFast - kSlow), 0.0, 1.0);
    if (weight > 0.0) {
      const double exact = unit * std::expm1(decay);
      stiffness = std::max(stiffness + weight * (exact - stiffness), kMin * servo.stiffness);
    }
  }
  return {stiffness, servo.stiffness / stiffness * offset};
}

}  // namespace haptic::solids
