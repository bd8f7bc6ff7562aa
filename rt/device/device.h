#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rt/device/hand_script.h"
#include "shared/clock.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Limits of a device that no scene and no operator may exceed, in addition to its force and
/// torque: a manifest's [limits] (docs/devices.md). Infinity: no limit; a device with motors has
/// all of them.
struct DeviceLimits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double speed = kNone;                 ///< of an engaged hand [m/s]
  double angular_speed = kNone;         ///< of an engaged hand [rad/s]
  double reach = kNone;                 ///< of an engaged hand from the origin [m]
  double slew_N_per_s = kNone;          ///< of the force
  double torque_slew_Nm_per_s = kNone;  ///< of the torque
  double power = kNone;                 ///< into the hand [W]
  double impulse = kNone;               ///< of the force's magnitude within impulse_window_s [N·s]
  double impulse_window_s = 2.0;        ///< s, > 0
  bool operator==(const DeviceLimits&) const = default;
};

/// A number of a device that `haptic set` may change while the loop runs.
struct DeviceParameter {
  std::string_view name;  ///< "hand.x", of a literal
  double minimum, maximum;
};

/// What a device is able to do; fixed from construction on.
struct DeviceCapabilities {
  std::string_view name;
  int sensed_freedoms = 6;        ///< 3 or 6
  int actuated_freedoms = 6;      ///< 3 (force) or 6 (force and torque)
  double max_force = 8.5;         ///< N
  double max_torque = 0.5;        ///< N·m
  double max_stiffness = 600.0;   ///< N/m at 1 kHz
  double workspace_radius = 0.2;  ///< m about the origin
  bool needs_homing = false;
  bool has_motors = true;   ///< true: can be engaged only with a guard
  double resolution = 0.0;  ///< of a coordinate at the centre of the workspace [m]; 0: exact
  int enable_button = -1;   ///< bit of the button that must be held to run; -1: none
  DeviceLimits limits{};
  std::vector<DeviceParameter> parameters{};
};

/// Result of one exchange with the device, device frame (no length scale applied).
struct DeviceState {
  Pose pose;
  Twist twist;
  std::uint32_t buttons = 0;  ///< bit per button
  bool homed = true;
  bool emergency_stop = false;          ///< the device's own stop input is active
  bool stop_channels_disagree = false;  ///< a two-channel stop input, for too long
  std::int64_t taken_ns = 0;  ///< CLOCK_MONOTONIC when the encoders were read; 0: in this exchange
};

enum class DeviceStatus : std::uint8_t {
  kOk,
  kDisconnected,
  kEndOfScript,
  kBadValue,
  kImplausible,  ///< an encoder jumped, or does not change while its motor pulls (EncoderWatch)
  kStale,        ///< the newest reading is too old for a driven device
  kOverheated,   ///< a winding is too warm (MotorStage); the output was zero
};

/// One haptic device behind the servo. Construction may allocate and block; the rest runs in the
/// loop.
class Device {
 public:
  virtual ~Device() = default;

  /// What the kernel refused to the device's threads, and how to change that, one line each. Not
  /// for the loop.
  virtual std::vector<std::string> shortcomings() const { return {}; }
  virtual const DeviceCapabilities& capabilities() const HAPTIC_REALTIME = 0;

  /// Before the loop: the clock of the exchanges, for a device that simulates time.
  virtual void set_clock(Clock&) {}
  /// From one thread other than the loop's: the hand of another scene. A device that is moved by a
  /// person, or not by a script, ignores it.
  virtual void follow(HandScript) {}

  /// Reads the encoders: pose, twist and buttons for this cycle. Never blocks.
  [[nodiscard]] virtual DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME = 0;

  /// Whether amplifiers may be on, from the next `actuate`: only while the servo is engaged. A
  /// device without an enable line has nothing to do.
  virtual void set_enabled(bool enabled) HAPTIC_REALTIME { static_cast<void>(enabled); }

  /// An operator has reset a fault: the device may re-initialise from here on.
  virtual void restart() HAPTIC_REALTIME {}

  /// An operator confirms that the device is in its reference pose. A device that must be homed
  /// begins homing only after this call.
  virtual void home() HAPTIC_REALTIME {}

  /// Value of capabilities().parameters[index].
  virtual double parameter(std::size_t index) const HAPTIC_REALTIME {
    static_cast<void>(index);
    return 0.0;
  }
  /// @param value in the range of the parameter
  virtual void set_parameter(std::size_t index, double value) HAPTIC_REALTIME {
    static_cast<void>(index);
    static_cast<void>(value);
  }

  /// Whether the wrench given to `actuate` still reaches the motors. False: the last output may
  /// still act and this process cannot change it; the guard must take over the device.
  virtual bool reaches_motors() const HAPTIC_REALTIME { return true; }

  /// Whether an earlier force may still act because a zero output has not reached the motors yet.
  /// False for a device whose outputs take effect within `actuate`.
  virtual bool force_may_act() const HAPTIC_REALTIME { return false; }

  /// Sends the wrench on the hand (device frame, N, N·m). Called exactly once per cycle, after
  /// sense, last thing before publishing. Never blocks.
  [[nodiscard]] virtual DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME = 0;
};

}  // namespace haptic
