#include "rt/device/external/external_keys.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "rt/device/device_limits.h"

namespace haptic {
namespace {

using E = ExternalSettings;

// The same characters as a daemon's name; the link is a part of a file's name.
void check_link(const TomlTable& root, const E& s) {
  constexpr std::size_t kMaxLength = 48;
  const bool valid =
      s.link.size() <= kMaxLength && std::all_of(s.link.begin(), s.link.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
      });
  if (!valid) root.refuse("link", "found \"" + s.link + "\"", "1 to 48 of a-z, 0-9 and -");
}

/// Of [limits]; those of DeviceLimits are a group of their own.
const KeySchema<E>& external_limits_keys() {
  static const KeySchema<E> keys(
      {
          key("max_force", &E::max_force, NumberRange::positive("N"),
              "Largest force of the device.")
              .required(),
          key("max_torque", &E::max_torque, NumberRange::non_negative("N·m"),
              "Largest torque of the device; 0: it renders none. Only with freedoms = \"6\".")
              .checked([](const TomlTable& table, const E& s) {
                if (s.max_torque > 0.0 && s.freedoms != 6) {
                  table.refuse("max_torque",
                               "found a torque on a device that senses no orientation",
                               "freedoms = 6 with it, or no torque");
                }
              }),
          key("max_stiffness", &E::max_stiffness, NumberRange::positive("N/m"),
              "Largest stiffness that the device renders at 1 kHz.")
              .required(),
          key("workspace_radius", &E::workspace_radius, NumberRange::between(1e-3, 5.0, "m"),
              "Radius of the workspace about the origin.")
              .required(),
      },
      [](const TomlTable& table, E& s) {
        const bool torque = s.max_torque > 0.0;
        device_limit_keys(torque ? LimitsNeeded::kForceTorque : LimitsNeeded::kForce)
            .read_some(table, s.limits);
      });
  return keys;
}

}  // namespace

const KeySchema<ExternalSettings>& external_keys() {
  static const KeySchema<E> keys({
      key("link", &E::link,
          "Name of the link to the adapter, which gives the same: 1 to 48 of a-z, 0-9 and -.")
          .absent("name")
          .checked(check_link),
      key("adapter_user", &E::adapter_user,
          "User who may run the adapter, besides the daemon's user and root.")
          .absent("nobody else"),
      key("freedoms", &E::freedoms, {{"3", 3}, {"6", 6}},
          "Sensed freedoms: the position, or position and orientation."),
      key("max_age_ms", &E::max_age_s, ScaledRange{NumberRange::between(1.0, 1000.0, "ms"), 1e-3},
          "Oldest pose of an engaged device; an older one is a fault."),
      // The daemon promises zero outputs within 20 ms of its end.
      key("zero_after_ms", &E::zero_after_s,
          ScaledRange{NumberRange::between(1.0, 20.0, "ms"), 1e-3},
          "Time without a beat of the daemon after which the adapter applies zero."),
      key("hung_adapter", &E::end_hung_adapter, {{"report", false}, {"end", true}},
          "Whether an adapter that gives no pose while a force may act is reported only, or "
          "ended."),
      key("resolution", &E::resolution, NumberRange::non_negative("m"),
          "Resolution of a coordinate; 0: not known."),
      key("enable_button", &E::enable_button, IntegerRange{0, 31},
          "Bit of the button that must be held to run.")
          .absent("none"),
      table("limits", external_limits_keys(),
            "What the device renders, and limits for every scene on it.")
          .required(),
  });
  return keys;
}

std::span<const KeyGroup> external_groups() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "external", "", external_keys().described()},
      KeyGroup{"manifest", "kind", "external", "limits.",
               device_limit_keys(LimitsNeeded::kForce).described()},
  };
  return groups;
}

}  // namespace haptic
