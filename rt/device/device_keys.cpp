#include "rt/device/device_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "rt/device/device_limits.h"
#include "rt/device/simulated_keys.h"

namespace haptic {
namespace {

// Names become parts of file and shared-memory names, so they have no '/', '.' or space.
bool is_device_name(std::string_view name) {
  constexpr std::size_t kMaxLength = 48;
  if (name.empty() || name.size() > kMaxLength || name.front() < 'a' || name.front() > 'z') {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void check_name(const TomlTable& root, const DeviceManifest& manifest) {
  if (!is_device_name(manifest.name)) {
    root.refuse("name", fmt::format("found \"{}\"", manifest.name),
                "1 to 48 of a-z, 0-9 and -, the first a letter");
  }
  // These names mean a device without motors, which may be engaged without a guard.
  if (has_motors(manifest.kind) && (manifest.name == "simulated" || manifest.name == "replay")) {
    root.refuse(
        "name",
        fmt::format("found \"{}\", which is the name of a device without motors", manifest.name),
        "another name for a device that has them");
  }
}

}  // namespace

const KeySchema<DeviceManifest>& manifest_core_keys() {
  using M = DeviceManifest;
  static const KeySchema<M> keys({
      key("kind", &M::kind,
          {{"falcon", "falcon"},
           {"comedi-arm", "comedi-arm"},
           {"external", "external"},
           {"simulated", "simulated"},
           {"replay", "replay"}},
          "Which driver the device has.")
          .required(),
      key("name", &M::name,
          "Name of the device for scenes, telemetry and calibration files: 1 to 48 of a-z, 0-9 and "
          "-.")
          .required()
          .checked(check_name),
      key("description", &M::description, "One line for haptic devices.").absent("none"),
  });
  return keys;
}

const KeySchema<SimulatedSettings>& simulated_limits_keys() {
  using S = SimulatedSettings;
  static const KeySchema<S> keys(
      {table("limits", &S::limits, device_limit_keys(LimitsNeeded::kNone),
             "Limits for every scene on this device; a scene may set lower ones.")
           .absent("no limits")});
  return keys;
}

const KeySchema<ReplaySettings>& replay_keys() {
  using R = ReplaySettings;
  static const KeySchema<R> keys(
      {
          key("recording", &R::recording,
              "CSV file like a hand script, with one row for each exchange.")
              .required(),
          key("enable_button", &R::enable_button, IntegerRange{0, 31},
              "Bit of the button that must be held to run; held until the recording ends.")
              .absent("none"),
      },
      [](const TomlTable&, R& r) {
        r.recording = std::filesystem::absolute(r.recording).lexically_normal();
      });
  return keys;
}

std::span<const KeyGroup> manifest_core_groups() {
  static const std::array groups = {
      KeyGroup{"manifest", "", "", "", manifest_core_keys().described()}};
  return groups;
}

std::span<const KeyGroup> simulated_groups() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "simulated", "", simulated_keys().described()},
      KeyGroup{"manifest", "kind", "simulated", "", simulated_limits_keys().described()},
  };
  return groups;
}

std::span<const KeyGroup> replay_groups() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "replay", "", replay_keys().described()}};
  return groups;
}

}  // namespace haptic
