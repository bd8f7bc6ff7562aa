#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "rt/device/device.h"

namespace haptic {

/// What the servo allows to reach a hand. Infinity: no limit.
struct ServoLimits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double force = 8.5;                   ///< N, >= 0
  double torque = 0.5;                  ///< N·m, >= 0
  double ramp_s = 0.5;                  ///< from no to full force after engaging [s], >= 0
  double slew_N_per_s = kNone;          ///< of the force, > 0
  double torque_slew_Nm_per_s = kNone;  ///< > 0
  double power = kNone;                 ///< into the hand [W], >= 0
  double power_s = 0.1;  ///< longest uninterrupted time that the power limit cut [s], >= 0
  /// Integral of the force's magnitude within impulse_window_s [N·s]. It bounds what the power
  /// limit does not see since the hand does not move: one that is caught and pressed. impulse /
  /// impulse_window_s is the largest mean force, which a shorter push may exceed; the distinction
  /// of transient and quasi-static contact in ISO/TS 15066:2016, 5.5.5.
  double impulse = kNone;
  double impulse_window_s = 2.0;      ///< s, > 0
  double speed = kNone;               ///< of the engaged hand [m/s]
  double angular_speed = kNone;       ///< of the engaged hand [rad/s]
  double workspace_radius = kNone;    ///< about the origin [m]
  std::uint64_t overload_slots = 20;  ///< late or missed in a row, >= 1
  double overload_share = 0.3;        ///< of the slots in overload_window_s late or missed
  double overload_window_s = 0.2;     ///< s, > 0
  double stale_s = kNone;             ///< longest life of an output [s], > 0
  double stale_input_s = 0.0;         ///< oldest reading [s]; 0: five periods, at least 20 ms
  double stop_s = 0.1;                ///< of a controlled stop [s], 0 to 0.5
  std::uint32_t stop_buttons = 0;     ///< bits of the device's buttons that are an emergency stop
  std::uint32_t enable_buttons = 0;   ///< bits that must all be held to run
};

/// A limit that `haptic set` may change.
struct ServoParameter {
  std::string_view name;
  double ServoLimits::*value;
  double minimum, maximum;                              ///< where the device has no stricter limit
  double (*ceiling)(const DeviceCapabilities& device);  ///< the device's own; infinity: none
};

/// All of them. The index of a row is the parameter's number in ServoCommand and in telemetry; the
/// world's parameters follow.
inline constexpr auto kServoParameters = std::to_array<ServoParameter>({
    {"limits.force", &ServoLimits::force, 0.0, 1e4,  // N
     [](const DeviceCapabilities& d) { return d.max_force; }},
    {"limits.torque", &ServoLimits::torque, 0.0, 1e4,  // N·m
     [](const DeviceCapabilities& d) { return d.actuated_freedoms >= 6 ? d.max_torque : 0.0; }},
    {"limits.ramp_s", &ServoLimits::ramp_s, 0.0, 60.0,  // s
     [](const DeviceCapabilities&) { return ServoLimits::kNone; }},
    {"limits.slew_N_per_s", &ServoLimits::slew_N_per_s, 1.0, 1e9,  // N/s
     [](const DeviceCapabilities& d) { return d.limits.slew_N_per_s; }},
    {"limits.torque_slew_Nm_per_s", &ServoLimits::torque_slew_Nm_per_s, 0.01, 1e9,  // N·m/s
     [](const DeviceCapabilities& d) { return d.limits.torque_slew_Nm_per_s; }},
    {"limits.power", &ServoLimits::power, 0.0, 1e6,  // W
     [](const DeviceCapabilities& d) { return d.limits.power; }},
    {"limits.impulse", &ServoLimits::impulse, 0.0, 1e6,  // N·s
     [](const DeviceCapabilities& d) { return d.limits.impulse; }},
    {"limits.speed", &ServoLimits::speed, 1e-3, 1e3,  // m/s
     [](const DeviceCapabilities& d) { return d.limits.speed; }},
    {"limits.angular_speed", &ServoLimits::angular_speed, 1e-2, 1e4,  // rad/s
     [](const DeviceCapabilities& d) { return d.limits.angular_speed; }},
    {"limits.workspace_radius", &ServoLimits::workspace_radius, 1e-3, 1e3,  // m
     [](const DeviceCapabilities& d) { return d.limits.reach; }},
});
inline constexpr std::uint32_t kServoParameterCount = kServoParameters.size();

/// `limits` where they are below the device's own, else these; impulse and its window both of the
/// stricter side, so that both limits are kept. The device's enabling button is added to the
/// scene's.
ServoLimits lowered_to(ServoLimits limits, const DeviceCapabilities& device);

/// Stiffness of a coupling that a device renders at a rate of the servo.
struct RenderableStiffness {
  double linear;      ///< N per m of hand
  double rotational;  ///< N·m/rad; infinity without six motors
};
/// The device's rating is for 1 kHz; a sampled spring is passive up to K = 2 b / T (Colgate and
/// Schenkel 1994), hence in proportion to the rate. A torque is taken as a force at 50 mm, the
/// handle's size.
RenderableStiffness renderable_stiffness(const DeviceCapabilities& device, double rate_hz);

}  // namespace haptic
