#include "rt/worlds/scene_tables.h"

namespace haptic {

SceneCoupling read_coupling(const TomlTable& table) {
  SceneCoupling c;
  c.stiffness = table.number("stiffness", range_of(kCouplingStiffness, "N/m"), c.stiffness);
  c.rotational_stiffness =
      table.number("rotational_stiffness", range_of(kCouplingRotationalStiffness, "N·m/rad"),
                   c.rotational_stiffness);
  c.static_damping =
      table.number("static_damping", range_of(kCouplingStaticDamping, ""), c.static_damping);
  c.max_speed = table.number("max_speed", NumberRange::positive("m/s"), c.max_speed);
  c.max_angular_speed =
      table.number("max_angular_speed", NumberRange::positive("rad/s"), c.max_angular_speed);
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

SceneLimits read_limits(const TomlTable& table) {
  SceneLimits l;
  l.force = table.number("force", NumberRange::positive("N"), l.force);
  l.torque = table.number("torque", NumberRange::positive("N·m"), l.torque);
  l.ramp_s = table.number("ramp_s", NumberRange::non_negative("s"), l.ramp_s);
  l.slew_N_per_s = table.optional_number("slew_N_per_s", NumberRange::positive("N/s"));
  l.speed = table.optional_number("speed", NumberRange::positive("m/s"));
  l.workspace_radius = table.optional_number("workspace_radius", NumberRange::positive("m"));
  table.finish();
  return l;
}

}  // namespace haptic
