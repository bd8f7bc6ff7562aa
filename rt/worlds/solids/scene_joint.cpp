#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/solids/solids_tables.h"

namespace haptic::solids {

namespace {

constexpr double kFarthestTarget = 1e3;  // rad or m

JointType read_type(const TomlTable& table) {
  table.text("type");  // required
  const std::string type =
      table.choice("type", {"ball", "hinge", "prismatic", "orientation"}, "ball");
  if (type == "hinge") return JointType::kHinge;
  if (type == "prismatic") return JointType::kPrismatic;
  return type == "orientation" ? JointType::kOrientation : JointType::kBall;
}

void read_bodies(const TomlTable& table, const Scene& core, SceneJoint& joint) {
  const std::vector<std::string> names = table.texts("bodies", 2);
  std::size_t* const of[] = {&joint.first, &joint.second};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto same = [&](const SceneBody& body) { return body.name == names[k]; };
    *of[k] = names[k] == "world" && std::ranges::none_of(core.bodies, same)
                 ? SceneJoint::kWorld
                 : body_named(table, "bodies", names[k], core.bodies);
  }
  if (joint.first == joint.second) {
    table.refuse("bodies", fmt::format("found \"{}\" twice", names[0]), "two bodies");
  }
}

Vector3 read_vector(const TomlTable& table, std::string_view key, std::string_view unit) {
  const std::vector<double> v = table.numbers(key, 3, NumberRange::between(-1e6, 1e6, unit));
  return {v[0], v[1], v[2]};
}

/// Rejects a key that has no meaning for the type.
void refuse_for(const TomlTable& table, std::string_view key, std::string_view expected) {
  if (!table.has(key)) return;
  table.refuse(key, fmt::format("found for a joint of type \"{}\"", table.text("type")), expected);
}

/// `target` and `limits`, of a servo or of an orientation.
void read_target(const TomlTable& table, std::string_view unit, JointSettings& settings) {
  settings.minimum = -kFarthestTarget;
  settings.maximum = kFarthestTarget;
  if (table.has("limits")) {
    const std::vector<double> limits =
        table.numbers("limits", 2, NumberRange::between(-kFarthestTarget, kFarthestTarget, unit));
    if (!(limits[0] < limits[1])) {
      table.refuse("limits", fmt::format("found [{:g}, {:g}]", limits[0], limits[1]),
                   "[least, greatest]");
    }
    settings.minimum = limits[0];
    settings.maximum = limits[1];
  }
  const NumberRange range = NumberRange::between(settings.minimum, settings.maximum, unit);
  if (table.has("target") || !range.contains(0.0)) settings.target = table.number("target", range);
}

/// `button`, `pressed` and `speed`, of a servo or of an orientation. @pre its range is known
void read_button(const TomlTable& table, const Scene& core, std::string_view unit,
                 JointSettings& settings) {
  if (!table.has("button")) {
    for (const char* key : {"pressed", "speed"}) {
      if (table.has(key)) table.refuse(key, "found no button", "button = 0..31 with it");
    }
    return;
  }
  TargetButton button;
  button.button = static_cast<std::uint32_t>(table.integer("button", 0, 31));
  // It would have both effects.
  const bool clutches = core.coupling.clutch_button == static_cast<int>(button.button);
  if (clutches || (core.limits.stop_buttons >> button.button & 1u) != 0) {
    table.refuse("button",
                 fmt::format("found {}, which is {}", button.button,
                             clutches ? "coupling.clutch_button" : "limits.stop_button"),
                 "another button");
  }
  button.target =
      table.number("pressed", NumberRange::between(settings.minimum, settings.maximum, unit));
  button.speed = table.number("speed", NumberRange::positive(unit == "m" ? "m/s" : "rad/s"));
  settings.button = button;
}

void read_servo(const TomlTable& table, const Scene& core, JointSettings& settings) {
  const bool turns = settings.type == JointType::kHinge;
  ServoSettings servo;
  NumberRange stiffness = NumberRange::between(0.0, 1e9, turns ? "N m/rad" : "N/m");
  stiffness.minimum_excluded = true;
  servo.stiffness = table.number("stiffness", stiffness);
  servo.damping =
      table.number("damping", NumberRange::between(0.0, 1e9, turns ? "N m s/rad" : "N s/m"), 0.0);
  if (const auto limit =
          table.optional_number("force_limit", NumberRange::positive(turns ? "N m" : "N"))) {
    servo.force_limit = *limit;
  }
  read_target(table, turns ? "rad" : "m", settings);
  read_button(table, core, turns ? "rad" : "m", settings);
  settings.servo = servo;
  table.finish();
}

}  // namespace

SceneJoint read_joint(const TomlTable& table, const Scene& core,
                      const std::vector<SceneJoint>& earlier) {
  SceneJoint joint{};
  joint.name = table.text("name");
  for (const SceneJoint& other : earlier) {
    if (other.name == joint.name) {
      table.refuse("name", fmt::format("found \"{}\" a second time", joint.name), "a unique name");
    }
  }
  JointSettings& settings = joint.settings;
  settings.type = read_type(table);
  read_bodies(table, core, joint);
  if (settings.type == JointType::kOrientation) {
    refuse_for(table, "point", "none: this joint constrains the orientation alone");
  } else {
    settings.point = read_vector(table, "point", "m");
  }
  if (settings.type == JointType::kBall) {
    refuse_for(table, "axis", "none: it turns about every axis");
  } else {
    settings.axis = read_vector(table, "axis", {});
    if (!(settings.axis.norm() > 1e-9)) {
      table.refuse("axis", "found a vector of length zero", "a direction");
    }
    settings.axis.normalize();
  }
  if (settings.type == JointType::kPrismatic) {
    settings.published_form =
        table.choice("form", {"five-rows", "published"}, "five-rows") == "published";
  } else {
    refuse_for(table, "form", "type = \"prismatic\"");
  }
  if (settings.type == JointType::kHinge || settings.type == JointType::kPrismatic) {
    for (const char* key : {"target", "limits", "button", "pressed", "speed"}) {
      refuse_for(table, key, "a key of its servo");
    }
    if (const auto servo = table.optional_table("servo")) read_servo(*servo, core, settings);
  } else {
    refuse_for(table, "servo", "type = \"hinge\" or \"prismatic\"");
  }
  if (settings.type == JointType::kOrientation) {
    read_target(table, "rad", settings);
    read_button(table, core, "rad", settings);
  }
  if (settings.type == JointType::kBall) {
    for (const char* key : {"target", "limits", "button", "pressed", "speed"}) {
      refuse_for(table, key, "type = \"orientation\", or a servo");
    }
  }
  table.finish();
  return joint;
}

}  // namespace haptic::solids
