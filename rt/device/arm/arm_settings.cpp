#include "rt/device/arm/arm_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "rt/device/arm/arm_keys.h"
#include "rt/device/device_limits.h"
#include "shared/error.h"

namespace haptic {

namespace {

Vector3 read_vector(const TomlTable& table, std::string_view key, std::string_view unit) {
  const std::vector<double> v = table.numbers(key, 3, NumberRange::any(unit));
  return {v[0], v[1], v[2]};
}

Vector3 read_vector(const TomlTable& table, std::string_view key, std::string_view unit,
                    const Vector3& absent) {
  return table.has(key) ? read_vector(table, key, unit) : absent;
}

void read_range(const TomlTable& table, double& minimum, double& maximum) {
  if (!table.has("range")) return;
  const std::vector<double> ends = table.numbers("range", 2, NumberRange::any("rad or m"));
  if (!(ends[0] < ends[1])) {
    table.refuse("range", fmt::format("found [{}, {}]", ends[0], ends[1]), "the lower end first");
  }
  minimum = ends[0];
  maximum = ends[1];
}

int read_sign(const TomlTable& table, std::string_view key) {
  const std::int64_t sign = table.integer(key, -1, 1, 1);
  if (sign == 0) table.refuse(key, "found 0", "1 or -1");
  return static_cast<int>(sign);
}

LinkJoint read_joint(const TomlTable& table, std::size_t axes) {
  LinkJoint joint;
  joint.slides = table.choice("kind", {"turn", "slide"}, "turn") == "slide";
  joint.offset = read_vector(table, "offset", "m", joint.offset);
  joint.axis = read_vector(table, "axis", "");
  joint.zero = table.number("zero", NumberRange::any("rad or m"), joint.zero);
  if (table.has("coupling")) joint.coupling = table.numbers("coupling", axes, NumberRange::any());
  read_range(table, joint.minimum, joint.maximum);
  joint.mass = table.number("mass", NumberRange::non_negative("kg"), joint.mass);
  joint.centre = read_vector(table, "centre", "m", joint.centre);
  table.finish();
  return joint;
}

void read_motor(const TomlTable& table, ArmAxis& axis) {
  MotorLimits& motor = axis.motor;
  axis.motor_sign = read_sign(table, "motor_direction");
  axis.amperes_per_volt = table.number("amperes_per_volt", NumberRange::positive("A/V"));
  motor.torque_constant = table.number("torque_constant", NumberRange::positive("N·m/A"));
  motor.torque = table.number("max_torque", NumberRange::positive("N·m"));
  motor.slew = table.number("max_slew", NumberRange::positive("N·m/s"), motor.slew);
  motor.power = table.number("max_power", NumberRange::positive("W"), motor.power);
  if (!table.has("resistance")) return;
  // A winding is described completely or not at all: an incomplete description gives no heating.
  motor.resistance = table.number("resistance", NumberRange::positive("ohm"));
  motor.thermal_resistance = table.number("thermal_resistance", NumberRange::positive("K/W"));
  motor.thermal_time_s = table.number("thermal_time_s", NumberRange::positive("s"));
  motor.ambient_C = table.number("ambient_C", NumberRange::between(-40.0, 80.0, "°C"), 25.0);
  motor.max_C = table.number(
      "max_C",
      {.minimum = motor.ambient_C, .maximum = 300.0, .minimum_excluded = true, .unit = "°C"});
}

ArmAxis read_axis(const TomlTable& table, const LinkJoint& joint, bool driven) {
  ArmAxis axis;
  axis.counts_per_turn = table.number("counts_per_turn", NumberRange::positive());
  axis.encoder_sign = read_sign(table, "encoder_direction");
  if (joint.slides) {
    axis.ratio = 1.0 / table.number("drum_radius", NumberRange::positive("m"));
  } else {
    axis.ratio = table.number("gear_ratio", NumberRange::positive());
  }
  read_range(table, axis.minimum, axis.maximum);
  axis.encoder.speed =
      table.number("max_speed", NumberRange::positive("rad/s"), axis.encoder.speed);
  if (driven) {
    read_motor(table, axis);
    axis.friction = table.number("friction", NumberRange::non_negative("N·m or N"), 0.0);
    axis.damping = table.number("damping", NumberRange::non_negative("N·m s/rad or N s/m"), 0.0);
    if (table.has("stuck_s")) {
      axis.encoder.stuck_s = table.number("stuck_s", NumberRange::positive("s"));
      axis.encoder.stuck_torque = table.number("stuck_torque", NumberRange::positive("N·m"));
    }
  }
  table.finish();
  return axis;
}

void read_joints_and_axes(const TomlTable& root, ArmSettings& arm) {
  const std::vector<TomlTable> joints = root.tables("joint"), axes = root.tables("axis");
  if (joints.size() != 3 && joints.size() != 6) {
    root.refuse("joint", fmt::format("found {} joints", joints.size()), "3 or 6 [[joint]] tables");
  }
  if (axes.size() != joints.size()) {
    root.refuse("axis", fmt::format("found {} axes", axes.size()),
                fmt::format("as many [[axis]] as [[joint]] tables ({})", joints.size()));
  }
  arm.motors = static_cast<std::size_t>(root.integer("motors", 3, 6, 3));
  if (arm.motors != 3 && arm.motors != axes.size()) {
    root.refuse("motors", fmt::format("found {}", arm.motors), "3, or one for each of 6 axes");
  }
  for (const TomlTable& joint : joints) {
    arm.link.joints.push_back(read_joint(joint, axes.size()));
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    // A coordinate has the unit of the joint with the same index.
    arm.axes.push_back(read_axis(axes[k], arm.link.joints[k], k < arm.motors));
  }
  arm.link.tool = read_vector(root, "tool", "m", arm.link.tool);
}

void read_frame(const TomlTable& table, ArmSettings& arm) {
  arm.origin = read_vector(table, "origin", "m", arm.origin);
  if (table.has("orientation")) {
    const std::vector<double> q = table.numbers("orientation", 4, NumberRange::any());
    const Quaternion turn(q[0], q[1], q[2], q[3]);
    if (std::abs(turn.norm() - 1.0) > 1e-3) {
      table.refuse("orientation", fmt::format("found a quaternion of length {:g}", turn.norm()),
                   "w, x, y, z of a unit quaternion");
    }
    arm.orientation = turn.normalized();
  }
  table.finish();
}

void read_calibration_table(const TomlTable& table, ArmSettings& arm) {
  arm.homing = table.choice("method", {"at-start", "file"}, "at-start") == "file"
                   ? ArmHoming::kFile
                   : ArmHoming::kAtStart;
  arm.calibration_pose = table.numbers("pose", arm.axes.size(), NumberRange::any("rad or m"));
  if (arm.homing == ArmHoming::kFile) {
    const char* state = std::getenv("STATE_DIRECTORY");  // set by systemd for StateDirectory=
    arm.calibration_file = table.has("file")
                               ? table.file("file")
                               : std::filesystem::path(state ? state : "/var/lib/hapticd") /
                                     (arm.name + ".calibration.toml");
    arm.calibration_file = std::filesystem::absolute(arm.calibration_file).lexically_normal();
  }
  arm.hold_s = table.number("hold_s", NumberRange::positive("s"), arm.hold_s);
  arm.hold_counts = table.number("hold_counts", NumberRange::positive(), arm.hold_counts);
  table.finish();
}

}  // namespace

ArmSettings read_arm(const DeviceManifest& manifest) {
  const TomlTable& root = manifest.table;
  root.use_keys(arm_keys());
  ArmSettings arm;
  arm.name = manifest.name;
  arm.source = manifest.file.string();
  read_joints_and_axes(root, arm);

  const TomlTable rating = root.table("rating");
  arm.max_force = rating.number("force", NumberRange::positive("N"));
  arm.max_stiffness = rating.number("stiffness", NumberRange::positive("N/m"));
  arm.workspace_radius = rating.number("workspace_radius", NumberRange::positive("m"));
  if (arm.motors == 6) arm.max_torque = rating.number("torque", NumberRange::positive("N·m"));
  rating.finish();
  device_limit_keys(arm.motors == 6 ? LimitsNeeded::kForceTorque : LimitsNeeded::kForce)
      .read(root.table("limits"), arm.limits);

  if (const auto frame = root.optional_table("frame")) read_frame(*frame, arm);
  if (const auto gravity = root.optional_table("gravity")) {
    arm.link.gravity = read_vector(*gravity, "vector", "m/s²", arm.link.gravity);
    arm.gravity_compensation =
        gravity->number("compensation", NumberRange::between(0.0, 1.0), arm.gravity_compensation);
    gravity->finish();
  }
  if (const auto friction = root.optional_table("friction")) {
    // Friction that is more than compensated drives the arm by itself: 0.9 leaves a tenth.
    arm.friction_compensation = friction->number("compensation", NumberRange::between(0.0, 0.9));
    arm.friction_speed =
        friction->number("speed", NumberRange::positive("rad/s or m/s"), arm.friction_speed);
    friction->finish();
  }
  if (const auto encoders = root.optional_table("encoders")) {
    arm.range_margin =
        encoders->number("range_margin", NumberRange::non_negative("rad or m"), arm.range_margin);
    arm.velocity_cutoff_hz =
        encoders->number("velocity_cutoff_hz", NumberRange::positive("Hz"), arm.velocity_cutoff_hz);
    encoders->finish();
  }
  read_calibration_table(root.table("calibration"), arm);
  check_arm(arm);
  return arm;
}

}  // namespace haptic
