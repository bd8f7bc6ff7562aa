#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rt/worlds/solids/solids_keys.h"

namespace haptic::solids {

namespace {

using J = JointTable;

constexpr std::array<std::string_view, 4> kJointTypes = {"ball", "hinge", "prismatic",
                                                         "orientation"};
constexpr NumberRange kTargets = NumberRange::between(-1e3, 1e3);

JointType type_of(const J& j) {
  return j.joint.settings.type;
}
bool is_ball(const J& j) {
  return type_of(j) == JointType::kBall;
}
bool is_prismatic(const J& j) {
  return type_of(j) == JointType::kPrismatic;
}
bool is_orientation(const J& j) {
  return type_of(j) == JointType::kOrientation;
}
bool may_have_servo(const J& j) {
  return type_of(j) == JointType::kHinge || is_prismatic(j);
}

std::string found_type(const J& j) {
  return fmt::format("found for a joint of type \"{}\"",
                     kJointTypes[static_cast<std::size_t>(type_of(j))]);
}

template <class Member>
auto of_joint(Member member) {
  return inner(&J::joint, &SceneJoint::settings, member);
}
/// Of a servo or of a button, which there is when one of its keys is read.
template <class Settings, class Value>
auto of_optional(std::optional<Settings> JointSettings::*optional, Value Settings::*member) {
  return [=](J& j) -> Value& {
    std::optional<Settings>& of = j.joint.settings.*optional;
    if (!of) of.emplace();
    return (*of).*member;
  };
}
template <class Value>
auto of_servo(Value ServoSettings::*member) {
  return of_optional(&JointSettings::servo, member);
}
template <class Value>
auto of_button(Value TargetButton::*member) {
  return of_optional(&JointSettings::button, member);
}

/// Units of a quantity of a joint that turns and of one that slides.
struct Units {
  std::string_view turning, sliding = {};  ///< sliding empty: the joint turns

  std::string text() const {
    return sliding.empty() ? std::string(turning) : fmt::format("{} or {}", turning, sliding);
  }
  NumberRange of(NumberRange range, const J& j) const {
    range.unit = is_prismatic(j) ? sliding : turning;
    return range;
  }
};

DependentRange<J> in_units(const NumberRange& range, Units units) {
  return {units.text(), range_text(range), [=](const J& j) { return units.of(range, j); }};
}

/// A key of a button, for which the target moves.
DeclaredKey<J> for_button(DeclaredKey<J> key, std::string name) {
  return std::move(key)
      .required_with("button", "required with button")
      .checked([name = std::move(name)](const TomlTable& table, const J&) {
        if (!table.has("button")) table.refuse(name, "found no button", "button = 0..31 with it");
      });
}

/// Where a servo or an orientation drives the joint. @param only  ends the meaning of the keys
std::vector<DeclaredKey<J>> target_keys(Units units, Units speeds, std::string_view target,
                                        std::string_view only) {
  const auto meaning = [only](std::string_view words) { return fmt::format("{}{}.", words, only); };
  const auto within_limits = [units](const J& j) {
    return units.of(NumberRange::between(j.limits[0], j.limits[1]), j);
  };
  return {
      key_of<J>("target", of_joint(&JointSettings::target),
                DependentRange<J>{units.text(), "within limits", within_limits}, target)
          .required_if(
              [=](const TomlTable&, const J& j) { return !within_limits(j).contains(0.0); }, "0")
          .sets("JOINT.target"),
      key_of<J>("limits", &J::limits,
                DependentRange<J>{units.text(), array_text("numbers", 2, kTargets),
                                  [units](const J& j) { return units.of(kTargets, j); }},
                meaning("Least and greatest target"))
          .read_first()
          .checked([](const TomlTable& table, const J& j) {
            if (j.limits[0] < j.limits[1]) return;
            table.refuse("limits", fmt::format("found [{:g}, {:g}]", j.limits[0], j.limits[1]),
                         "[least, greatest]");
          }),
      key_of<J>("button", of_button(&TargetButton::button), IntegerRange{0, 31},
                meaning("Bit of the device's button that moves the target"))
          .absent("none"),
      for_button(key_of<J>("pressed", of_button(&TargetButton::target),
                           DependentRange<J>{units.text(), "within limits", within_limits},
                           meaning("Target while the button is pressed")),
                 "pressed"),
      for_button(key_of<J>("speed", of_button(&TargetButton::speed),
                           in_units(NumberRange::positive(), speeds),
                           meaning("Speed of the target after the button is pressed or released")),
                 "speed"),
  };
}

const KeySchema<J>& servo_keys() {
  static const KeySchema<J> keys = [] {
    std::vector<DeclaredKey<J>> all = {
        key_of<J>("stiffness", of_servo(&ServoSettings::stiffness),
                  in_units(NumberRange::positive_up_to(1e9), {"N m/rad", "N/m"}),
                  "Torque or force per distance from the target.")
            .required(),
        key_of<J>("damping", of_servo(&ServoSettings::damping),
                  in_units(NumberRange::between(0.0, 1e9), {"N m s/rad", "N s/m"}),
                  "Torque or force per speed of the joint."),
        key_of<J>("force_limit", of_servo(&ServoSettings::force_limit),
                  in_units(NumberRange::positive(), {"N m", "N"}),
                  "Largest torque or force of the servo.")
            .absent("no limit"),
    };
    std::ranges::move(target_keys({"rad", "m"}, {"rad/s", "m/s"},
                                  "Angle or offset to which the servo drives; 0 at the start.", ""),
                      std::back_inserter(all));
    return KeySchema<J>(std::move(all));
  }();
  return keys;
}

/// A key of an orientation, which a ball does not have and a hinge has in its servo.
DeclaredKey<J> for_orientation(DeclaredKey<J> key) {
  return std::move(key)
      .only_if([](const J& j) { return !is_ball(j); }, found_type,
               "type = \"orientation\", or a servo")
      .only_if(is_orientation, found_type, "a key of its servo");
}

std::vector<DeclaredKey<J>> place_keys() {
  constexpr NumberRange kPlace = NumberRange::between(-1e6, 1e6, "m");
  constexpr NumberRange kDirection = NumberRange::between(-1e6, 1e6);
  const auto has_point = [](const J& j) { return !is_orientation(j); };
  const auto has_axis = [](const J& j) { return !is_ball(j); };
  return {
      key_of<J>(
          "name", [](J& j) -> std::string& { return j.joint.name; }, AnyValue{},
          "Unique name of the joint.")
          .required(),
      key_of<J>("type", of_joint(&JointSettings::type), words_in_order<JointType>(kJointTypes),
                "What remains free: turning about a point, turning about an axis, sliding along "
                "it, or moving without turning.")
          .required()
          .read_first(),
      key("bodies", &J::bodies, "Names of the two bodies, of which one may be \"world\".")
          .required(),
      key_of<J>("point", of_joint(&JointSettings::point), kPlace,
                "Point of the joint at the start, world; not of an orientation.")
          .required_if([=](const TomlTable&, const J& j) { return has_point(j); }, "required")
          .only_if(has_point, found_type, "none: this joint constrains the orientation alone"),
      key_of<J>("axis", of_joint(&JointSettings::axis), kDirection,
                "Direction of the axis at the start, world; not of a ball.")
          .required_if([=](const TomlTable&, const J& j) { return has_axis(j); }, "required")
          .only_if(has_axis, found_type, "none: it turns about every axis")
          .checked([](const TomlTable& table, const J& j) {
            if (!(j.joint.settings.axis.norm() > 1e-9)) {
              table.refuse("axis", "found a vector of length zero", "a direction");
            }
          }),
      key_of<J>("form", of_joint(&JointSettings::published_form),
                KeyWords<bool>{{"five-rows", false}, {"published", true}},
                "Equations of a prismatic joint: five, or eight as published, three of them "
                "redundant.")
          .only_if(is_prismatic, found_type, "type = \"prismatic\""),
  };
}

}  // namespace

const KeySchema<JointTable>& joint_keys() {
  static const KeySchema<J> keys = [] {
    std::vector<DeclaredKey<J>> all = place_keys();
    for (DeclaredKey<J>& key : target_keys(
             {"rad"}, {"rad/s"}, "Angle of the second body about the axis; only of an orientation.",
             "; only of an orientation")) {
      all.push_back(for_orientation(std::move(key)));
    }
    all.push_back(table("servo", servo_keys(),
                        "Drives the angle of a hinge or the offset of a prismatic joint to a "
                        "target.")
                      .absent("none")
                      .only_if(may_have_servo, found_type, "type = \"hinge\" or \"prismatic\""));
    return KeySchema<J>(std::move(all), [](const TomlTable&, J& j) {
      if (!is_ball(j)) j.joint.settings.axis.normalize();
    });
  }();
  return keys;
}

SceneJoint joint_of(const TomlTable& table, const JointTable& read, const Scene& core,
                    const std::vector<SceneJoint>& earlier) {
  SceneJoint joint = read.joint;
  joint.settings.minimum = read.limits[0];
  joint.settings.maximum = read.limits[1];
  const auto has_name = [&](const SceneJoint& other) { return other.name == joint.name; };
  if (std::ranges::any_of(earlier, has_name)) {
    table.refuse("name", fmt::format("found \"{}\" a second time", joint.name), "a unique name");
  }
  std::size_t* const of[] = {&joint.first, &joint.second};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string& name = read.bodies[k];
    const auto same = [&](const SceneBody& body) { return body.name == name; };
    *of[k] = name == "world" && std::ranges::none_of(core.bodies, same)
                 ? SceneJoint::kWorld
                 : body_named(table, "bodies", name, core.bodies);
  }
  if (joint.first == joint.second) {
    table.refuse("bodies", fmt::format("found \"{}\" twice", read.bodies[0]), "two bodies");
  }
  if (joint.settings.button) {
    // It would have both effects.
    const std::uint32_t button = joint.settings.button->button;
    const bool clutches = core.coupling.clutch_button == static_cast<int>(button);
    if (clutches || (core.limits.stop_buttons >> button & 1u) != 0) {
      (joint.settings.servo ? table.table("servo") : table)
          .refuse("button",
                  fmt::format("found {}, which is {}", button,
                              clutches ? "coupling.clutch_button" : "limits.stop_button"),
                  "another button");
    }
  }
  return joint;
}

}  // namespace haptic::solids
