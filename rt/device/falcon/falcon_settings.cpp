#include "rt/device/falcon/falcon_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "rt/device/device_limits.h"
#include "rt/device/enable_button.h"
#include "rt/device/falcon/falcon_keys.h"

namespace haptic {
namespace {

constexpr int kButtons = 4;  // FalconReport::buttons
constexpr double kDegree = std::numbers::pi / 180.0;

FalconIdentity read_identity(const TomlTable& usb) {
  FalconIdentity identity;
  identity.vendor = static_cast<std::uint16_t>(usb.integer("vendor", 0, 0xFFFF));
  identity.product = static_cast<std::uint16_t>(usb.integer("product", 0, 0xFFFF));
  identity.serial = usb.text("serial", "");
  usb.finish();
  return identity;
}

void read_io(const TomlTable& io, FalconSettings& settings) {
  const auto time = NumberRange::between(1e-4, 10.0, "s");
  settings.times.reply = io.number("reply_timeout_s", time);
  settings.times.hang = io.number("hang_timeout_s", time);
  settings.times.command = io.number("command_timeout_s", time);
  settings.times.retry = io.number("retry_s", time);
  settings.stale_s = io.number("stale_s", time);
  settings.stall_s = io.number(
      "stall_timeout_s", NumberRange::between(2.0 * kFalconBeat_s, 10.0, "s"), settings.stall_s);
  settings.io_priority = static_cast<int>(io.integer("priority", 0, 98));
  if (settings.times.hang < 2.0 * settings.times.reply) {
    io.refuse("hang_timeout_s", fmt::format("found {}", settings.times.hang),
              "at least twice reply_timeout_s, so that one lost packet is no hang");
  }
  io.finish();
}

void read_geometry(const TomlTable& table, FalconSettings& settings) {
  FalconGeometry& g = settings.geometry;
  const auto length = NumberRange{0.0, 1.0, true, false, "m"};
  const auto offset = NumberRange::between(-1.0, 1.0, "m");
  g.a = table.number("a", length);
  g.b = table.number("b", length);
  g.c = table.number("c", offset);
  g.d = table.number("d", offset);
  g.e = table.number("e", offset);
  g.f = table.number("f", offset);
  g.r = table.number("r", offset);
  g.s = table.number("s", offset);
  const auto angle = NumberRange::between(-360.0, 360.0, "degrees");
  const auto legs = table.numbers("leg_angles_deg", 3, angle);
  for (std::size_t i = 0; i < 3; ++i) g.leg_angles[i] = kDegree * legs[i];
  g.zero_angle = kDegree * table.number("zero_angle_deg", angle);
  const auto counts = table.integer("counts_per_motor_turn", 1, 1'000'000);
  const double shaft = table.number("shaft_diameter", length);
  const double drum = table.number("drum_diameter", length);
  settings.gear_ratio = drum / shaft;
  g.radians_per_count = 2.0 * std::numbers::pi / static_cast<double>(counts) / settings.gear_ratio;
  const auto centre = table.numbers("centre", 3, offset);
  settings.centre = {centre[0], centre[1], centre[2]};
  table.finish();
}

// Refuses legs that do not reach the workspace that the manifest declares.
void check_reach(const TomlTable& geometry, const FalconSettings& settings) {
  const FalconKinematics kinematics(settings.geometry);
  for (int axis = -1; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      Vector3 p = settings.centre;
      if (axis >= 0) p[axis] += side * settings.workspace_radius;
      Vector3 angles, back = settings.centre;
      Matrix3 jacobian;
      if (kinematics.inverse(p, angles, jacobian) && kinematics.forward(angles, back) &&
          (back - p).norm() < 1e-6) {
        continue;
      }
      geometry.refuse(
          "", fmt::format("legs that do not reach ({:.4g}, {:.4g}, {:.4g}) m", p.x(), p.y(), p.z()),
          "legs that reach limits.workspace_radius about geometry.centre");
    }
  }
}

void read_limits(const TomlTable& limits, FalconSettings& settings) {
  settings.max_force = limits.number("max_force", NumberRange::positive("N"));
  settings.max_stiffness = limits.number("max_stiffness", NumberRange::positive("N/m"));
  settings.workspace_radius =
      limits.number("workspace_radius", NumberRange{0.0, 0.2, true, false, "m"});
  device_limit_keys(LimitsNeeded::kForce).read(limits, settings.limits);
}

void read_motor(const TomlTable& motor, FalconSettings& settings) {
  settings.units_per_torque = motor.number("units_per_joint_torque", NumberRange::any("1/(N·m)"));
  if (settings.units_per_torque == 0.0) {
    motor.refuse("units_per_joint_torque", "found 0", "a number that is not 0 [1/(N·m)]");
  }
  settings.largest_unit = static_cast<int>(motor.integer("largest_unit", 1, 4095));
  MotorLimits& m = settings.motor;
  m.torque = motor.number("torque", NumberRange::positive("N·m"));
  m.slew = motor.number("slew", NumberRange::positive("N·m/s"));
  m.power = motor.number("power", NumberRange::positive("W"));
  m.torque_constant = motor.number("torque_constant", NumberRange::positive("N·m/A"));
  m.resistance = motor.number("resistance", NumberRange::non_negative("ohm"));
  m.thermal_resistance = motor.number("thermal_resistance", NumberRange::non_negative("K/W"));
  m.thermal_time_s = motor.number("thermal_time_s", NumberRange::positive("s"));
  m.ambient_C = motor.number("ambient_C", NumberRange::between(-20.0, 60.0, "C"));
  m.max_C = motor.number("max_C", NumberRange::between(m.ambient_C + 1.0, 200.0, "C"));
  motor.finish();
}

void read_encoder(const TomlTable& encoder, FalconSettings& settings) {
  settings.encoder.speed = encoder.number("max_joint_speed", NumberRange::positive("rad/s"));
  settings.encoder.stuck_s = encoder.number("stuck_s", NumberRange::positive("s"));
  settings.encoder.stuck_torque = encoder.number("stuck_torque", NumberRange::positive("N·m"));
  encoder.finish();
}

void read_lights(const TomlTable& leds, FalconLights& lights) {
  // libnifalcon contradicts itself about which bit is which colour, so the bits are data.
  const std::vector<std::pair<std::string, std::int64_t>> bits{
      {"red", leds.integer("red", 0, kFalconLedBits)},
      {"green", leds.integer("green", 0, kFalconLedBits)},
      {"blue", leds.integer("blue", 0, kFalconLedBits)}};
  for (const auto& [colour, bit] : bits) {
    if ((bit & ~std::int64_t{kFalconLedBits}) != 0) {
      leds.refuse(colour, fmt::format("found {}", bit), "a sum of 2, 4 and 8");
    }
  }
  const auto lit = [&](const char* when, const char* absent) {
    const std::string colour = leds.choice(when, {"red", "green", "blue", "off"}, absent);
    for (const auto& [known, bit] : bits) {
      if (known == colour) return static_cast<std::uint8_t>(bit);
    }
    return std::uint8_t{0};
  };
  lights.homing = lit("homing", "red");
  lights.ready = lit("ready", "blue");
  lights.engaged = lit("engaged", "green");
  leds.finish();
}

}  // namespace

FalconSettings read_falcon(const DeviceManifest& manifest) {
  const TomlTable& root = manifest.table;
  if (manifest.kind != "falcon") {
    root.refuse("kind", fmt::format("found \"{}\"", manifest.kind), "\"falcon\"");
  }
  root.use_keys(falcon_keys());
  FalconSettings settings;
  settings.name = manifest.name;
  settings.source = manifest.file.string();
  settings.enable_button = read_enable_button(root, kButtons);
  settings.identity = read_identity(root.table("usb"));
  if (const auto firmware = root.optional_table("firmware")) {
    settings.firmware = read_firmware_keys(*firmware);
  }
  read_io(root.table("io"), settings);
  read_limits(root.table("limits"), settings);
  const TomlTable geometry = root.table("geometry");
  read_geometry(geometry, settings);
  check_reach(geometry, settings);
  read_motor(root.table("motor"), settings);
  read_encoder(root.table("encoder"), settings);
  read_lights(root.table("leds"), settings.lights);
  root.finish();
  return settings;
}

}  // namespace haptic
