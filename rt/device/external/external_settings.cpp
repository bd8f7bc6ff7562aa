#include "rt/device/external/external_settings.h"

#include <algorithm>

#include "rt/device/device_limits.h"
#include "rt/device/enable_button.h"
#include "rt/device/external/external_keys.h"

namespace haptic {
namespace {

// The same characters as a daemon's name; the link is a part of a file's name.
bool is_link_name(const std::string& link) {
  constexpr std::size_t kLongest = 48;
  return link.size() <= kLongest && std::all_of(link.begin(), link.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

void read_limits(const TomlTable& limits, ExternalSettings& s) {
  s.max_force = limits.number("max_force", NumberRange::positive("N"));
  s.max_torque = limits.number("max_torque", NumberRange::non_negative("N·m"), 0.0);
  s.max_stiffness = limits.number("max_stiffness", NumberRange::positive("N/m"));
  s.workspace_radius = limits.number("workspace_radius", NumberRange::between(1e-3, 5.0, "m"));
  if (s.max_torque > 0.0 && s.freedoms != 6) {
    limits.refuse("max_torque", "found a torque on a device that senses no orientation",
                  "freedoms = 6 with it, or no torque");
  }
  device_limit_keys(s.max_torque > 0.0 ? LimitsNeeded::kForceTorque : LimitsNeeded::kForce)
      .read(limits, s.limits);
}

}  // namespace

ExternalSettings read_external(const DeviceManifest& manifest) {
  const TomlTable& root = manifest.table;
  if (manifest.kind != "external") {
    root.refuse("kind", "found \"" + manifest.kind + "\"", "\"external\"");
  }
  root.use_keys(external_keys());
  ExternalSettings s;
  s.name = manifest.name;
  s.source = manifest.file.string();
  s.link = root.text("link", manifest.name);
  if (!is_link_name(s.link)) {
    root.refuse("link", "found \"" + s.link + "\"", "1 to 48 of a-z, 0-9 and -");
  }
  s.adapter_user = root.text("adapter_user", "");
  s.freedoms = root.choice("freedoms", {"3", "6"}, "6") == "3" ? 3 : 6;
  s.max_age_s = 1e-3 * root.number("max_age_ms", NumberRange::between(1.0, 1000.0, "ms"), 10.0);
  // The daemon promises zero outputs within 20 ms of its end.
  s.zero_after_s = 1e-3 * root.number("zero_after_ms", NumberRange::between(1.0, 20.0, "ms"), 10.0);
  s.end_hung_adapter = root.choice("hung_adapter", {"report", "end"}, "report") == "end";
  s.resolution = root.number("resolution", NumberRange::non_negative("m"), 0.0);
  s.enable_button = read_enable_button(root);
  read_limits(root.table("limits"), s);
  root.finish();
  return s;
}

}  // namespace haptic
