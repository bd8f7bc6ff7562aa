#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "rt/device/device.h"
#include "shared/config/number_range.h"

namespace haptic {

/// What the servo allows to reach a hand: a scene's [limits], then lowered to the device's own.
/// Infinity: no limit. Units, ranges and meanings are in kServoLimitTable.
struct ServoLimits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double force = 8.5;
  double torque = 0.5;
  double ramp_s = 0.5;
  double slew_N_per_s = kNone;
  double torque_slew_Nm_per_s = kNone;
  double power = kNone;
  double power_s = 0.1;  ///< longest time that the power limit cuts without a pause [s]; no key
  /// Complements the power limit, which has no effect on a hand that does not move because it is
  /// clamped. impulse / impulse_window_s is the largest mean force, which a shorter push may
  /// exceed; the distinction of transient and quasi-static contact in ISO/TS 15066:2016, 5.5.5.
  double impulse = kNone;
  double impulse_window_s = 2.0;
  double speed = kNone;
  double angular_speed = kNone;
  double workspace_radius = kNone;
  std::uint64_t overload_slots = 20;
  double overload_fraction = 0.3;
  double overload_window_s = 0.2;
  double stale_s = kNone;
  double stale_input_s = 0.0;  ///< 0: five periods, at least 20 ms
  double stop_s = 0.1;
  std::uint32_t stop_buttons = 0;    ///< bits of the device's buttons
  std::uint32_t enable_buttons = 0;  ///< bits that must all be held
};

/// One limit: its key, unit, range and meaning, and the member that stores it, whose initial value
/// is the default.
struct ServoLimitRow {
  static constexpr std::string_view kTable = "limits.";

  std::string_view name;     ///< "limits." and the key in a scene's [limits]
  std::string_view meaning;  ///< as in docs/real-time.md, "Keys of [limits]"
  NumberRange range;         ///< of the key, with its unit
  // One of the three.
  double ServoLimits::*value = nullptr;
  std::uint64_t ServoLimits::*count = nullptr;    ///< the key is an integer
  std::uint32_t ServoLimits::*buttons = nullptr;  ///< the key is the number of one bit
  /// The values that `haptic set` takes where the device has no stricter limit; empty: none.
  std::optional<NumberRange> set{};
  double (*ceiling)(const DeviceCapabilities& device) = nullptr;  ///< device's own; infinity: none
  std::string_view absent{};  ///< words for the default; empty: the number of the member

  constexpr std::string_view key() const { return name.substr(kTable.size()); }
};

/// All limits of a scene. Those of `haptic set` are first: there, the index of a row is the
/// parameter's number in ServoCommand and in telemetry.
inline constexpr auto kServoLimitTable = std::to_array<ServoLimitRow>({
    {.name = "limits.force",
     .meaning = "largest force",
     .range = NumberRange::positive("N"),
     .value = &ServoLimits::force,
     .set = NumberRange::between(0.0, 1e4),
     .ceiling = [](const DeviceCapabilities& d) { return d.max_force; }},
    {.name = "limits.torque",
     .meaning = "largest torque",
     .range = NumberRange::positive("N·m"),
     .value = &ServoLimits::torque,
     .set = NumberRange::between(0.0, 1e4),
     .ceiling =
         [](const DeviceCapabilities& d) { return d.actuated_freedoms >= 6 ? d.max_torque : 0.0; }},
    {.name = "limits.ramp_s",
     .meaning = "time from zero to full force after engaging",
     .range = NumberRange::between(0.0, 60.0, "s"),
     .value = &ServoLimits::ramp_s,
     .set = NumberRange::between(0.0, 60.0),
     .ceiling = [](const DeviceCapabilities&) { return ServoLimits::kNone; }},
    {.name = "limits.slew_N_per_s",
     .meaning = "largest rate of change of the force",
     .range = NumberRange::positive("N/s"),
     .value = &ServoLimits::slew_N_per_s,
     .set = NumberRange::between(1.0, 1e9),
     .ceiling = [](const DeviceCapabilities& d) { return d.limits.slew_N_per_s; },
     .absent = "that of the device"},
    {.name = "limits.torque_slew_Nm_per_s",
     .meaning = "largest rate of change of the torque",
     .range = NumberRange::positive("N·m/s"),
     .value = &ServoLimits::torque_slew_Nm_per_s,
     .set = NumberRange::between(0.01, 1e9),
     .ceiling = [](const DeviceCapabilities& d) { return d.limits.torque_slew_Nm_per_s; },
     .absent = "that of the device"},
    {.name = "limits.power",
     .meaning = "largest power into the hand",
     .range = NumberRange::non_negative("W"),
     .value = &ServoLimits::power,
     .set = NumberRange::between(0.0, 1e6),
     .ceiling = [](const DeviceCapabilities& d) { return d.limits.power; },
     .absent = "that of the device"},
    {.name = "limits.impulse",
     .meaning = "largest integral of the force's magnitude within impulse_window_s",
     .range = NumberRange::positive("N·s"),
     .value = &ServoLimits::impulse,
     .set = NumberRange::between(0.0, 1e6),
     .ceiling = [](const DeviceCapabilities& d) { return d.limits.impulse; },
     .absent = "that of the device"},
    {.name = "limits.speed",
     .meaning = "largest speed of the engaged hand",
     .range = NumberRange::positive("m/s"),
     .value = &ServoLimits::speed,
     .set = NumberRange::between(1e-3, 1e3),
     .ceiling = [](const DeviceCapabilities& d) { return d.limits.speed; },
     .absent = "that of the device"},
    {.name = "limits.angular_speed",
     .meaning = "largest angular speed of the engaged hand",
     .range = NumberRange::positive("rad/s"),
     .value = &ServoLimits::angular_speed,
     .set = NumberRange::between(1e-2, 1e4),
     .ceiling = [](const DeviceCapabilities& d) { return d.limits.angular_speed; },
     .absent = "that of the device"},
    {.name = "limits.workspace_radius",
     .meaning = "largest distance of the engaged hand from the origin",
     .range = NumberRange::positive("m"),
     .value = &ServoLimits::workspace_radius,
     .set = NumberRange::between(1e-3, 1e3),
     .ceiling = [](const DeviceCapabilities& d) { return d.limits.reach; },
     .absent = "reach of the device"},
    {.name = "limits.impulse_window_s",
     .meaning = "window of impulse",
     .range = NumberRange::between(0.01, 60.0, "s"),
     .value = &ServoLimits::impulse_window_s},
    {.name = "limits.stale_s",
     .meaning = "largest age of an output",
     .range = NumberRange::positive("s"),
     .value = &ServoLimits::stale_s,
     .absent = "0.02; none on a simulated or replayed device"},
    {.name = "limits.stale_input_s",
     .meaning = "largest age of a reading",
     .range = NumberRange::positive("s"),
     .value = &ServoLimits::stale_input_s,
     .absent = "five periods, at least 0.02"},
    {.name = "limits.overload_slots",
     .meaning = "late or missed slots in a row",
     .range = NumberRange::between(1.0, 1e6, "slots"),
     .count = &ServoLimits::overload_slots,
     .absent = "20; more on a device without motors"},
    {.name = "limits.overload_fraction",
     .meaning = "fraction of late or missed slots within overload_window_s",
     .range = {.minimum = 0.0, .maximum = 1.0, .minimum_excluded = true},
     .value = &ServoLimits::overload_fraction,
     .absent = "0.3; 0.95 on a device without motors"},
    {.name = "limits.overload_window_s",
     .meaning = "window of overload_fraction",
     .range = NumberRange::between(0.01, 60.0, "s"),
     .value = &ServoLimits::overload_window_s,
     .absent = "0.2; 0.5 on a device without motors"},
    {.name = "limits.stop_s",
     .meaning = "duration of a controlled stop",
     .range = NumberRange::between(0.0, 0.5, "s"),
     .value = &ServoLimits::stop_s},
    {.name = "limits.stop_button",
     .meaning = "bit of the button that is an emergency stop",
     .range = NumberRange::between(0.0, 31.0),
     .buttons = &ServoLimits::stop_buttons},
    {.name = "limits.enable_button",
     .meaning = "bit of the button that must be held to run",
     .range = NumberRange::between(0.0, 31.0),
     .buttons = &ServoLimits::enable_buttons},
});

/// Those that `haptic set` may change, each with a value and a ceiling; the world's parameters
/// follow.
inline constexpr std::uint32_t kServoParameterCount =
    std::ranges::count_if(kServoLimitTable, [](const ServoLimitRow& row) { return !!row.set; });
inline constexpr std::span<const ServoLimitRow> kServoParameters =
    std::span(kServoLimitTable).first(kServoParameterCount);

/// The lower of `limits` and the device's limits. The impulse and its window are both the stricter
/// ones, so that both limits are satisfied. The device's enabling button is added to the scene's.
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
