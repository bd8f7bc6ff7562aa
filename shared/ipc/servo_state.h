#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace haptic {

/// What the servo does with the world's wrench (docs/methods/devices.md, "States of the servo").
/// Numbers are written to shared memory and logs and never change.
enum class ServoState : std::uint32_t {
  kStarting = 0,  ///< zero force, device not yet heard
  kHoming = 1,    ///< zero force, waiting for the encoders' reference
  kIdle = 2,      ///< zero force, ready
  kEngaged = 3,   ///< force, ramping in first
  kFault = 4,     ///< zero force, latched until an operator resets
  kStopping = 5,  ///< force fades out while the hand is damped, then zero: a controlled stop
};

/// Why the servo latched kFault.
enum class FaultKind : std::uint32_t {
  kNone = 0,
  kDeviceLost = 1,           ///< the device no longer answers
  kDeviceValue = 2,          ///< it answered with values that are not finite or not homed
  kWorldDiverged = 3,        ///< a solve of the world failed
  kWorldNotFinite = 4,       ///< a value of the world is not finite
  kWrenchNotFinite = 5,      ///< the wrench meant for the hand is not finite
  kSpeedLimit = 6,           ///< the hand moved faster than limits.speed while engaged
  kWorkspaceLimit = 7,       ///< the hand left limits.workspace_radius while engaged
  kOverload = 8,             ///< the cycle did not fit its period for too long
  kOperatorStop = 9,         ///< an operator stopped the output
  kEncoderImplausible = 10,  ///< an encoder jumped, or did not change while its motor pulled
  kOverheated = 11,          ///< a motor's winding is too warm
  kEmergencyStop = 12,       ///< the device's stop input or the scene's stop button
  kPowerLimit = 13,          ///< more power went into the hand than limits.power for too long
  kStaleCommand = 14,        ///< the output was not renewed for longer than limits.stale_s
  kGuardLost = 15,           ///< the guard that watched this daemon is gone or no longer beats
  kForbiddenCall = 16,       ///< a loop thread made a system call it must not make
  kSupervisorLost = 17,      ///< the supervisor thread no longer beats: no command is served
  kStaleInput = 18,          ///< the device's reading is older than a few periods
  kSuspended = 19,           ///< the machine slept
  kStopDiscrepancy = 20,     ///< the two channels of a stop input disagree
  kDeviceStalled = 21,       ///< a device's I/O thread hangs: outputs do not reach it
  kImpulseLimit = 22,        ///< the force's integral passed limits.impulse
  kWorldCapacity = 23,       ///< a capacity of the world, fixed at load, is used up
};

inline constexpr std::array<std::string_view, 6> kServoStateNames = {
    "starting", "homing", "idle", "engaged", "fault", "stopping"};
inline constexpr std::array<std::string_view, 24> kFaultNames = {
    "none",           "device_lost",         "device_value",
    "world_diverged", "world_not_finite",    "wrench_not_finite",
    "speed_limit",    "workspace_limit",     "overload",
    "operator_stop",  "encoder_implausible", "overheated",
    "emergency_stop", "power_limit",         "stale_command",
    "guard_lost",     "forbidden_call",      "supervisor_lost",
    "stale_input",    "suspended",           "stop_discrepancy",
    "device_stalled", "impulse_limit",       "world_capacity"};
inline constexpr std::size_t kFaultKinds = kFaultNames.size();

/// @returns "unknown" for a number outside the table (it may come from shared memory)
constexpr std::string_view name(ServoState state) {
  const auto i = static_cast<std::size_t>(state);
  return i < kServoStateNames.size() ? kServoStateNames[i] : "unknown";
}
constexpr std::string_view name(FaultKind fault) {
  const auto i = static_cast<std::size_t>(fault);
  return i < kFaultNames.size() ? kFaultNames[i] : "unknown";
}

}  // namespace haptic
