#pragma once

#include <cstdint>
#include <limits>

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
  double power_s = 0.1;                 ///< longest time on end that the power limit cut [s], >= 0
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

/// What a device allows at most, with infinity where it has no limit: the one place that says so.
/// No torque from a device without six motors.
ServoLimits ceiling_of(const DeviceCapabilities& device);

/// `limits` where they are below the ceiling, else the ceiling; impulse and its window both of the
/// stricter side, so that either limit holds. The device's enabling button beside the scene's.
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
