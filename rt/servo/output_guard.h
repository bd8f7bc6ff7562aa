#pragma once

#include <cstdint>

#include "rt/device/device.h"
#include "rt/servo/servo_limits.h"
#include "shared/ipc/servo_state.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The last thing before the device: whatever the world wants, what leaves here is finite and
/// inside the limits, or zero with a fault.
class OutputGuard {
 public:
  struct Result {
    Wrench wrench;              ///< what may be sent
    std::uint32_t limited = 0;  ///< LimitBit set: which limits cut it
    FaultKind fault = FaultKind::kNone;
  };

  /// @param dt seconds between two outputs, > 0
  OutputGuard(const ServoLimits& limits, double dt) : limits_(limits), dt_(dt) {}

  /// kSpeedLimit or kWorkspaceLimit where the hand breaks one, else kNone.
  FaultKind check_hand(const DeviceState& hand) const HAPTIC_REALTIME;

  /// Ramp, then what a passivity controller adds, then force and torque magnitude (direction kept),
  /// then their change per second, then the power f·v + t·w that goes into the hand (a wrench that
  /// brakes the hand is not cut); magnitude and power win where not all can hold. Zero and a fault
  /// if a value is not finite, or if the power had to be cut for longer than limits.power_s.
  /// @param ramp 0..1 @param twist of the hand
  Result shape(const Wrench& wanted, double ramp, const Wrench& added = {},
               const Twist& twist = {}) HAPTIC_REALTIME;

  /// Zero output, at once: reducing to nothing needs no slew.
  Wrench zero() HAPTIC_REALTIME;

  const ServoLimits& limits() const HAPTIC_REALTIME { return limits_; }
  ServoLimits& limits() HAPTIC_REALTIME { return limits_; }

 private:
  ServoLimits limits_;
  double dt_;
  Vector3 last_force_ = Vector3::Zero();
  Vector3 last_torque_ = Vector3::Zero();
  double power_cut_s_ = 0.0;  // in a row

  Result refuse(FaultKind fault) HAPTIC_REALTIME;
};

}  // namespace haptic
