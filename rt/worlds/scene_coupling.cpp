#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/coupling_parameters.h"
#include "rt/worlds/scene_tables.h"

namespace haptic {

namespace {

// Reads the keys of the mode; keys of the other modes are rejected, not ignored.
void read_mode(const TomlTable& table, HeldBodySettings& c) {
  const std::string mode = table.choice("mode", {"static", "dynamic"}, "static");
  if (mode == "dynamic") {
    c.mode = CouplingMode::kDynamic;
    c.mass = table.number("mass", NumberRange::positive("kg"), c.mass);
    c.inertia = table.optional_number("inertia", NumberRange::positive("kg m^2"));
    c.damping_ratio = table.number("damping_ratio", NumberRange::non_negative(), c.damping_ratio);
    for (const std::string_view key : {"static_damping", "limit_cycle_guard"}) {
      if (table.has(key))
        table.refuse(key, "found a key of the static mode", "none with \"dynamic\"");
    }
    return;
  }
  c.static_damping = table.optional_number(
      "static_damping", range_of(kCouplingParameters[kCouplingStaticDamping], ""));
  c.limit_cycle_guard = table.boolean("limit_cycle_guard", c.limit_cycle_guard);
  for (const std::string_view key : {"mass", "inertia", "damping_ratio"}) {
    if (table.has(key))
      table.refuse(key, "found a key of the dynamic mode", "mode = \"dynamic\" with it");
  }
}

// Reads the keys of the hand's side: stiffness limit and clutch.
void read_hand(const TomlTable& table, HeldBodySettings& c) {
  c.max_stiffness = table.number("max_stiffness", NumberRange::positive("N/m"), c.max_stiffness);
  c.limit_to_device = table.boolean("limit_to_device", c.limit_to_device);
  if (c.limit_to_device && table.has("max_stiffness")) {
    table.refuse("max_stiffness", "found max_stiffness together with limit_to_device",
                 "one of the two");
  }
  c.clutch_button = table.optional_integer("clutch_button", 0, 31);
  if (c.clutch_button) {
    c.clutch_fade_s =
        table.number("clutch_fade_s", NumberRange::non_negative("s"), c.clutch_fade_s);
  } else if (table.has("clutch_fade_s")) {
    table.refuse("clutch_fade_s", "found no clutch", "clutch_button = 0..31 with it");
  }
}

}  // namespace

HeldBodySettings read_coupling(const TomlTable& table) {
  HeldBodySettings c;
  if (table.has("grasp")) {
    const std::vector<double> p = table.numbers("grasp", 3, NumberRange::between(-1e6, 1e6, "m"));
    c.grasp = {p[0], p[1], p[2]};
  }
  read_mode(table, c);
  read_hand(table, c);
  c.stiffness = table.number("stiffness", range_of(kCouplingParameters[kCouplingStiffness], "N/m"),
                             c.stiffness);
  c.rotational_stiffness =
      table.number("rotational_stiffness",
                   range_of(kCouplingParameters[kCouplingRotationalStiffness], "N·m/rad"),
                   c.rotational_stiffness);
  c.max_speed = table.optional_number("max_speed", NumberRange::positive("m/s"));
  c.max_angular_speed = table.optional_number("max_angular_speed", NumberRange::positive("rad/s"));
  c.permitted_depth = table.optional_number("permitted_depth", NumberRange::positive("m"));
  c.contact_gradient = table.choice("contact_gradient", {"mirror", "direct"}, "mirror") == "direct"
                           ? ContactGradient::kDirect
                           : ContactGradient::kMirror;
  c.saturation_gradient =
      table.choice("saturation_gradient", {"secant", "tangent"}, "secant") == "tangent"
          ? SaturationGradient::kTangent
          : SaturationGradient::kSecant;
  table.finish();
  return c;
}

PassivitySettings read_passivity(const TomlTable& table) {
  PassivitySettings p;
  p.enabled = table.boolean("enabled", true);  // the table alone enables it
  p.reference = table.choice("reference", {"stored", "zero"}, "stored") == "zero"
                    ? PassivityReference::kZero
                    : PassivityReference::kStored;
  p.max_damping = table.number("max_damping", NumberRange::non_negative("N s/m"), p.max_damping);
  p.device_damping =
      table.number("device_damping", NumberRange::non_negative("N s/m"), p.device_damping);
  p.length = table.number("length", NumberRange::positive("m"), p.length);
  p.tolerance = table.number("tolerance", NumberRange::non_negative("J"), p.tolerance);
  p.max_surplus = table.number("max_surplus", NumberRange::non_negative("J"), p.max_surplus);
  p.max_deficit = table.number("max_deficit", NumberRange::non_negative("J"), p.max_deficit);
  table.finish();
  return p;
}

ServoLimits read_limits(const TomlTable& table) {
  ServoLimits limits;
  for (const ServoLimitRow& row : kServoLimitTable) {
    const std::string_view key = row.key();
    if (row.value != nullptr) {
      limits.*row.value = table.number(key, row.range, limits.*row.value);
      continue;
    }
    const auto given = table.optional_integer(key, static_cast<std::int64_t>(row.range.minimum),
                                              static_cast<std::int64_t>(row.range.maximum));
    if (given && row.count != nullptr) limits.*row.count = static_cast<std::uint64_t>(*given);
    if (given && row.buttons != nullptr) limits.*row.buttons = 1u << *given;
  }
  if (limits.stop_buttons != 0 && limits.stop_buttons == limits.enable_buttons) {
    table.refuse("enable_button", "found the stop_button", "a button other than stop_button");
  }
  table.finish();
  return limits;
}

}  // namespace haptic
