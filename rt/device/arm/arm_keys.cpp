#include "rt/device/arm/arm_keys.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rt/device/device_limits.h"

namespace haptic {
namespace {

using A = ArmSettings;

/// An axis while it is read, which depends on the joint with the same number.
struct ReadAxis : ArmAxis {
  bool slides = false;
  bool driven = true;  ///< has a motor
};

constexpr std::string_view kCoordinate = "rad or m";

/// Both ends of the range of a joint or an axis.
template <class Settings>
DeclaredKey<Settings> range_key(std::string_view meaning) {
  DocumentKey range = key_value::describe<std::array<double, 2>>(NumberRange::any(kCoordinate));
  range.path = "range";
  range.absent = "no limit";
  range.meaning = meaning;
  return {std::move(range), [](const TomlTable& table, Settings& settings) {
            std::array<double, 2> ends{};
            key_value::read(table, "range", NumberRange::any(kCoordinate), ends);
            if (!(ends[0] < ends[1])) {
              table.refuse("range", fmt::format("found [{}, {}]", ends[0], ends[1]),
                           "the lower end first");
            }
            settings.minimum = ends[0];
            settings.maximum = ends[1];
          }};
}

DeclaredKey<ReadAxis> sign_key(std::string_view name, int ReadAxis::*sign,
                               std::string_view meaning) {
  return key(name, sign, IntegerRange{-1, 1}, meaning)
      .checked([name, sign](const TomlTable& table, const ReadAxis& axis) {
        if (axis.*sign == 0) table.refuse(name, "found 0", "1 or -1");
      });
}

const KeySchema<LinkJoint>& joint_keys() {
  using J = LinkJoint;
  static const KeySchema<J> keys({
      key("kind", &J::slides, {{"turn", false}, {"slide", true}},
          "Whether the joint turns about its axis or slides along it."),
      key("axis", &J::axis, NumberRange::any(), "Direction of the axis.").required(),
      key("offset", &J::offset, NumberRange::any("m"),
          "Position from the previous joint, of the first from the origin of the arm."),
      key("coupling", &J::coupling, NumberRange::any(),
          "Factors with which the coordinates of all axes give the value of the joint.")
          .range("3 or 6 numbers")
          .absent("1 for the axis of the same number"),
      key("zero", &J::zero, NumberRange::any(kCoordinate),
          "Value of the joint where the coordinates are 0."),
      range_key<J>("Least and greatest value of the joint."),
      key("mass", &J::mass, NumberRange::non_negative("kg"),
          "Mass of the link that the joint moves."),
      key("centre", &J::centre, NumberRange::any("m"), "Centre of that mass from the joint."),
  });
  return keys;
}

const KeySchema<ReadAxis>& axis_keys() {
  using X = ReadAxis;
  using M = MotorLimits;
  const auto driven = [](const X& x) { return x.driven; };
  const auto heats = [](const X& x) { return x.driven && x.motor.resistance > 0.0; };
  const auto number = [](std::string_view name, auto member, const NumberRange& range,
                         std::string_view meaning) {
    return key_of<X>(name, member, range, meaning);
  };
  static const KeySchema<X> keys(
      {
          number("counts_per_turn", &X::counts_per_turn, NumberRange::positive(),
                 "Counts per turn of the motor's shaft, as the board counts.")
              .required(),
          sign_key("encoder_direction", &X::encoder_sign,
                   "1, or -1 if counts fall while the coordinate grows."),
          number("gear_ratio", &X::ratio, NumberRange::positive(),
                 "Turns of the motor per turn of the joint.")
              .required_where([](const X& x) { return !x.slides; }, "required for a turning joint"),
          number("drum_radius", &X::ratio, NumberRange::positive("m"),
                 "Radius of the drum that moves the slide.")
              .required_where([](const X& x) { return x.slides; }, "required for a sliding joint"),
          range_key<X>("Least and greatest coordinate."),
          number("max_speed", inner(&X::encoder, &EncoderLimits::speed),
                 NumberRange::positive("rad/s"),
                 "Speed of the motor above which a reading has jumped, which is a fault.")
              .absent("no limit"),
          sign_key("motor_direction", &X::motor_sign,
                   "1, or -1 if positive volts make the coordinate fall.")
              .only_where(driven),
          number("amperes_per_volt", &X::amperes_per_volt, NumberRange::positive("A/V"),
                 "Gain of the amplifier.")
              .required_where(driven, "required"),
          number("torque_constant", inner(&X::motor, &M::torque_constant),
                 NumberRange::positive("N·m/A"), "Torque per current.")
              .required_where(driven, "required"),
          number("max_torque", inner(&X::motor, &M::torque), NumberRange::positive("N·m"),
                 "Largest torque of the motor.")
              .required_where(driven, "required"),
          number("max_slew", inner(&X::motor, &M::slew), NumberRange::positive("N·m/s"),
                 "Largest rate of change of the motor's torque.")
              .absent("no limit")
              .only_where(driven),
          number("max_power", inner(&X::motor, &M::power), NumberRange::positive("W"),
                 "Largest mechanical power of the motor into the mechanism.")
              .absent("no limit")
              .only_where(driven),
          // A winding is described completely or not at all: an incomplete description gives no
          // heating.
          number("resistance", inner(&X::motor, &M::resistance), NumberRange::positive("ohm"),
                 "Resistance of the winding at 25 degrees Celsius; the other thermal keys belong "
                 "to it.")
              .absent("no temperature model")
              .only_where(driven),
          number("thermal_resistance", inner(&X::motor, &M::thermal_resistance),
                 NumberRange::positive("K/W"), "Thermal resistance from winding to ambient.")
              .required_where(heats, "required with resistance"),
          number("thermal_time_s", inner(&X::motor, &M::thermal_time_s), NumberRange::positive("s"),
                 "Thermal time constant of the winding.")
              .required_where(heats, "required with resistance"),
          number("ambient_C", inner(&X::motor, &M::ambient_C),
                 NumberRange::between(-40.0, 80.0, "°C"),
                 "Ambient temperature; only with resistance.")
              .only_where(heats),
          key_of<X>("max_C", inner(&X::motor, &M::max_C),
                    DependentRange<X>{"°C", "above ambient_C, at most 300",
                                      [](const X& x) {
                                        return NumberRange{.minimum = x.motor.ambient_C,
                                                           .maximum = 300.0,
                                                           .minimum_excluded = true,
                                                           .unit = "°C"};
                                      }},
                    "Estimated temperature of the winding above which the motors stay off.")
              .required_where(heats, "required with resistance"),
          number("friction", &X::friction, NumberRange::non_negative("N·m or N"),
                 "Coulomb friction at the joint, for the compensation.")
              .only_where(driven),
          number("damping", &X::damping, NumberRange::non_negative("N·m s/rad or N s/m"),
                 "Viscous damping at the joint, for the compensation.")
              .only_where(driven),
          number("stuck_s", inner(&X::encoder, &EncoderLimits::stuck_s), NumberRange::positive("s"),
                 "Time without a count under stuck_torque after which an encoder is stuck, which "
                 "is a fault.")
              .absent("not watched")
              .only_where(driven),
          number("stuck_torque", inner(&X::encoder, &EncoderLimits::stuck_torque),
                 NumberRange::positive("N·m"),
                 "Least torque of the motor under which a missing count matters.")
              .required_where([](const X& x) { return std::isfinite(x.encoder.stuck_s); },
                              "required with stuck_s"),
      },
      [](const TomlTable&, X& x) {
        if (x.slides) x.ratio = 1.0 / x.ratio;  // of the drum
      });
  return keys;
}

void read_axes(const TomlTable& root, A& arm) {
  const std::vector<LinkJoint>& joints = arm.link.joints;
  const std::vector<TomlTable> axes = root.tables("axis");
  if (joints.size() != 3 && joints.size() != 6) {
    root.refuse("joint", fmt::format("found {} joints", joints.size()), "3 or 6 [[joint]] tables");
  }
  if (axes.size() != joints.size()) {
    root.refuse("axis", fmt::format("found {} axes", axes.size()),
                fmt::format("as many [[axis]] as [[joint]] tables ({})", joints.size()));
  }
  if (arm.motors != 3 && arm.motors != axes.size()) {
    root.refuse("motors", fmt::format("found {}", arm.motors), "3, or one for each of 6 axes");
  }
  for (const TomlTable& joint : root.tables("joint")) {
    if (!joint.has("coupling")) continue;
    static_cast<void>(joint.numbers("coupling", axes.size(), NumberRange::any()));
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    ReadAxis axis;
    axis.slides = joints[k].slides;
    axis.driven = k < arm.motors;
    axis_keys().read(axes[k], axis);
    arm.axes.push_back(axis);
  }
}

const KeySchema<A>& rating_keys() {
  static const KeySchema<A> keys({
      key("force", &A::max_force, NumberRange::positive("N"),
          "Force in every direction at the centre of the workspace, which the motors must reach.")
          .required(),
      key("stiffness", &A::max_stiffness, NumberRange::positive("N/m"),
          "Largest stiffness that the arm renders at 1 kHz.")
          .required(),
      key("workspace_radius", &A::workspace_radius, NumberRange::positive("m"),
          "Radius of the workspace about the origin, which the arm must reach.")
          .required(),
      key("torque", &A::max_torque, NumberRange::positive("N·m"),
          "Largest torque of the arm; only with six motors.")
          .required_where([](const A& arm) { return arm.motors == 6; }, "required with motors = 6"),
  });
  return keys;
}

const KeySchema<A>& frame_keys() {
  static const KeySchema<A> keys({
      key("origin", &A::origin, NumberRange::any("m"), "Origin of the device frame."),
      key("orientation", &A::orientation, UnitQuaternion{},
          "Rotation from device axes to arm axes: unit quaternion w, x, y, z."),
  });
  return keys;
}

const KeySchema<A>& gravity_keys() {
  static const KeySchema<A> keys({
      key_of<A>("vector", inner(&A::link, &SerialLinkSettings::gravity), NumberRange::any("m/s²"),
                "Gravity in the frame of the arm."),
      key("compensation", &A::gravity_compensation, NumberRange::between(0.0, 1.0),
          "Part of the weight of the links that the motors carry while engaged."),
  });
  return keys;
}

const KeySchema<A>& friction_keys() {
  static const KeySchema<A> keys({
      // Friction that is more than compensated drives the arm by itself: 0.9 leaves a tenth.
      key("compensation", &A::friction_compensation, NumberRange::between(0.0, 0.9),
          "Part of the friction and damping of the axes that the motors overcome.")
          .required(),
      key("speed", &A::friction_speed, NumberRange::positive("rad/s or m/s"),
          "Speed of an axis from which its friction is compensated in full."),
  });
  return keys;
}

const KeySchema<A>& encoders_keys() {
  static const KeySchema<A> keys({
      key("range_margin", &A::range_margin, NumberRange::non_negative(kCoordinate),
          "Distance beyond an axis' range at which a reading is a fault."),
      key("velocity_cutoff_hz", &A::velocity_cutoff_hz, NumberRange::positive("Hz"),
          "Cut-off frequency of the low pass of the speeds.")
          .absent("no filter"),
  });
  return keys;
}

const KeySchema<A>& homing_keys() {
  static const KeySchema<A> keys(
      {
          key("method", &A::homing, {{"at-start", ArmHoming::kAtStart}, {"file", ArmHoming::kFile}},
              "Whether an operator homes the arm after each start, or haptic calibrate wrote a "
              "file."),
          DeclaredKey<A>({.path = "pose",
                          .kind = KeyKind::kNumbers,
                          .unit = std::string(kCoordinate),
                          .range = "3 or 6 numbers",
                          .meaning = "Coordinates of the pose in which the arm is homed."},
                         [](const TomlTable& table, A& arm) {
                           arm.calibration_pose = table.numbers("pose", arm.axes.size(),
                                                                NumberRange::any(kCoordinate));
                         })
              .required(),
          key("file", &A::calibration_file,
              "File of haptic calibrate; only with method = \"file\".")
              .absent("NAME.calibration.toml in /var/lib/hapticd")
              .only_where([](const A& arm) { return arm.homing == ArmHoming::kFile; }),
          key("hold_s", &A::hold_s, NumberRange::positive("s"),
              "Time at rest after which the arm counts as homed."),
          key("hold_counts", &A::hold_counts, NumberRange::positive(),
              "Largest change of a counter that counts as rest."),
      },
      [](const TomlTable&, A& arm) {
        if (arm.homing != ArmHoming::kFile) return;
        if (arm.calibration_file.empty()) {
          const char* state = std::getenv("STATE_DIRECTORY");  // set by systemd
          arm.calibration_file = std::filesystem::path(state ? state : "/var/lib/hapticd") /
                                 (arm.name + ".calibration.toml");
        }
        arm.calibration_file = std::filesystem::absolute(arm.calibration_file).lexically_normal();
      });
  return keys;
}

}  // namespace

const KeySchema<ArmSettings>& arm_keys() {
  static const KeySchema<A> keys({
      key_of<A>("tool", inner(&A::link, &SerialLinkSettings::tool), NumberRange::any("m"),
                "Position of the handle from the last joint, with all joints at 0."),
      key("motors", &A::motors, IntegerRange{3, 6},
          "Number of axes with a motor, from the first: 3, or 6 of 6 axes."),
      table("rating", rating_keys(), "What the arm renders.").required(),
      DeclaredKey<A>({.path = "limits",
                      .kind = KeyKind::kTable,
                      .unit = "-",
                      .meaning = "Limits for every scene on this arm; a scene may set lower "
                                 "ones."},
                     [](const TomlTable& root, A& arm) {
                       device_limit_keys(arm.motors == 6 ? LimitsNeeded::kForceTorque
                                                         : LimitsNeeded::kForce)
                           .read(root.table("limits"), arm.limits);
                     })
          .required(),
      table("frame", frame_keys(), "Device frame in the frame of the arm.")
          .absent("that of the arm"),
      table("gravity", gravity_keys(), "Weight of the links."),
      table("friction", friction_keys(), "Compensation of the axes' friction.")
          .absent("not compensated"),
      table("encoders", encoders_keys(), "How readings are checked and filtered."),
      tables_of<A>("joint", inner(&A::link, &SerialLinkSettings::joints), joint_keys(),
                   "A joint of the chain, from base to handle: 3 or 6. Vectors are given with "
                   "all joints at 0.")
          .absent("required"),
      DeclaredKey<A>({.path = "axis[]",
                      .kind = KeyKind::kTables,
                      .unit = "-",
                      .meaning = "Encoder, transmission, motor and amplifier of the joint with "
                                 "the same number."},
                     read_axes, axis_keys().described())
          .required(),
      table("calibration", homing_keys(), "How the counters' readings become coordinates.")
          .required(),
  });
  return keys;
}

std::span<const KeyGroup> arm_groups() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "comedi-arm", "", arm_keys().described()},
      KeyGroup{"manifest", "kind", "comedi-arm", "limits.",
               device_limit_keys(LimitsNeeded::kForce).described()},
  };
  return groups;
}

}  // namespace haptic
