#pragma once

#include <cstdint>

#include "rt/device/device.h"
#include "rt/device/servo_limits.h"
#include "rt/servo/sliding_sum.h"
#include "shared/ipc/servo_state.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The last step before the device: whatever the world computes, the output is finite and
/// inside the limits, or zero with a fault.
class OutputGuard {
 public:
  struct Result {
    Wrench wrench;              ///< what may be sent
    std::uint32_t limited = 0;  ///< LimitBit set: which limits cut it
    FaultKind fault = FaultKind::kNone;
  };
  /// Time and power limit of one output.
  struct Step {
    double elapsed_s = 0.0;                  ///< since the output before; at least dt is counted
    double most_power = ServoLimits::kNone;  ///< into the hand [W], >= 0; exceeding it: no fault
  };

  /// @param dt seconds between two outputs where no slot is missed, > 0
  OutputGuard(const ServoLimits& limits, double dt)
      : limits_(limits),
        dt_(dt),
        force_now_(limits.force),
        torque_now_(limits.torque),
        impulse_(limits.impulse_window_s) {}

  /// kSpeedLimit or kWorkspaceLimit where the hand breaks one, else kNone.
  FaultKind check_hand(const DeviceState& hand) const HAPTIC_REALTIME;

  /// Ramp, then what a passivity controller adds, then force and torque magnitude (direction kept),
  /// then their change in a step, then the power f·v + t·w that goes into the hand (a wrench that
  /// brakes the hand is not cut); magnitude and power take precedence over slew. A force limit
  /// that was lowered takes effect by the slew limit. Zero and a fault if a value is not finite, if
  /// the power had to be cut for longer than limits.power_s, or if the force that was sent has
  /// passed limits.impulse (by one output at most).
  ///
  /// A missed slot allows no larger change than any other step, because the hand would feel a jump.
  /// The impulse and the time for which the power is cut count the time that has passed.
  /// @param ramp 0..1 @param twist of the hand
  Result shape(const Wrench& wanted, double ramp, const Wrench& added, const Twist& twist,
               const Step& step) HAPTIC_REALTIME;
  Result shape(const Wrench& wanted, double ramp, const Wrench& added = {},
               const Twist& twist = {}) HAPTIC_REALTIME {
    return shape(wanted, ramp, added, twist, Step{});
  }

  /// Zero output, at once: a reduction to zero has no slew limit. Resets power and impulse counts.
  Wrench zero() HAPTIC_REALTIME;

  const ServoLimits& limits() const HAPTIC_REALTIME { return limits_; }
  ServoLimits& limits() HAPTIC_REALTIME { return limits_; }
  /// Sent within the impulse's window [N·s].
  double impulse() const HAPTIC_REALTIME { return impulse_.sum(); }

 private:
  ServoLimits limits_;
  double dt_;
  double force_now_, torque_now_;  ///< present limits; they fall to lowered ones by the slew limit
  Vector3 last_force_ = Vector3::Zero();
  Vector3 last_torque_ = Vector3::Zero();
  double power_cut_s_ = 0.0;  // without interruption
  SlidingSum impulse_;

  bool cut_power(Vector3& force, Vector3& torque, const Twist& twist,
                 double most) const HAPTIC_REALTIME;
  Result refuse(FaultKind fault) HAPTIC_REALTIME;
};

}  // namespace haptic
