#include "rt/device/falcon/falcon_keys.h"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <string>
#include <string_view>

#include "rt/device/device_limits.h"
#include "rt/device/falcon/exchange.h"
#include "rt/device/falcon/packet.h"

namespace haptic {
namespace {

using F = FalconSettings;

constexpr int kButtons = 4;  // FalconReport::buttons
constexpr NumberRange kLength = NumberRange::positive_up_to(1.0, "m");
constexpr NumberRange kOffset = NumberRange::between(-1.0, 1.0, "m");
constexpr ScaledRange kAngle{NumberRange::between(-360.0, 360.0, "degrees"),
                             std::numbers::pi / 180.0};
constexpr NumberRange kTime = NumberRange::between(1e-4, 10.0, "s");

const KeySchema<FalconIdentity>& usb_keys() {
  using I = FalconIdentity;
  static const KeySchema<I> keys({
      key("vendor", &I::vendor, IntegerRange{0, 0xFFFF}, "Vendor id.").required(),
      key("product", &I::product, IntegerRange{0, 0xFFFF}, "Product id.").required(),
      key("serial", &I::serial, "Serial number of one of several.").absent("the first free device"),
  });
  return keys;
}

bool is_hash(const std::string& text) {
  const std::size_t digits = text.starts_with("md5:") ? 32 : text.starts_with("sha256:") ? 64 : 0;
  const std::string_view hex = std::string_view(text).substr(text.find(':') + 1);
  return digits > 0 && hex.size() == digits &&
         hex.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

const KeySchema<FirmwareFile>& firmware_keys() {
  using W = FirmwareFile;
  static const KeySchema<W> keys({
      key("file", &W::path, "The image.").required(),
      key("size", &W::size, IntegerRange{2, W::kMaxBytes, "bytes"}, "Size of the image.")
          .required(),
      key("hash", &W::hash,
          "\"md5:\" and 32 or \"sha256:\" and 64 lower-case hexadecimal digits of the image.")
          .required()
          .checked([](const TomlTable& table, const W& file) {
            if (is_hash(file.hash)) return;
            table.refuse("hash", fmt::format("found \"{}\"", file.hash),
                         "\"md5:\" and 32 or \"sha256:\" and 64 lower-case hexadecimal digits");
          }),
  });
  return keys;
}

const KeySchema<F>& io_keys() {
  static const KeySchema<F> keys({
      key("priority", &F::io_priority, IntegerRange{0, 98},
          "SCHED_FIFO priority of the thread that talks to the bus; 0: an ordinary thread.")
          .required(),
      key_of<F>("reply_timeout_s", inner(&F::times, &FalconTimes::reply), kTime,
                "Time without a reply after which a packet counts as lost and is sent again.")
          .required(),
      key_of<F>("hang_timeout_s", inner(&F::times, &FalconTimes::hang), kTime,
                "Time without a reply after which the device is lost; at least twice "
                "reply_timeout_s.")
          .required()
          .checked([](const TomlTable& io, const F& s) {
            if (s.times.hang < 2.0 * s.times.reply) {
              io.refuse("hang_timeout_s", fmt::format("found {}", s.times.hang),
                        "at least twice reply_timeout_s, so that one lost packet is no hang");
            }
          }),
      key_of<F>("command_timeout_s", inner(&F::times, &FalconTimes::command), kTime,
                "Age of a servo command after which zero torque is sent.")
          .required(),
      key_of<F>("retry_s", inner(&F::times, &FalconTimes::retry), kTime,
                "Time between two attempts to connect.")
          .required(),
      key("stale_s", &F::stale_s, kTime,
          "Time without a report of the bus thread after which the device is lost.")
          .required(),
      key("stall_timeout_s", &F::stall_s, NumberRange::between(2.0 * kFalconBeat_s, 10.0, "s"),
          "Time without progress of the bus thread under a torque after which the guard takes "
          "the device."),
  });
  return keys;
}

/// Of [limits]; those of DeviceLimits are a group of their own.
const KeySchema<F>& falcon_limits_keys() {
  static const KeySchema<F> keys(
      {
          key("max_force", &F::max_force, NumberRange::positive("N"),
              "Largest force of the device.")
              .required(),
          key("max_stiffness", &F::max_stiffness, NumberRange::positive("N/m"),
              "Largest stiffness that the device renders at 1 kHz.")
              .required(),
          key("workspace_radius", &F::workspace_radius, NumberRange::positive_up_to(0.2, "m"),
              "Radius of the workspace about geometry.centre, which the legs must reach.")
              .required(),
      },
      [](const TomlTable& table, F& s) {
        device_limit_keys(LimitsNeeded::kForce).read_some(table, s.limits);
      });
  return keys;
}

const KeySchema<F>& geometry_keys() {
  using G = FalconGeometry;
  const auto part = [](std::string_view name, double G::*member, const NumberRange& range,
                       std::string_view meaning) {
    return key_of<F>(name, inner(&F::geometry, member), range, meaning).required();
  };
  static const KeySchema<F> keys(
      {
          part("a", &G::a, kLength, "Length of an upper arm."),
          part("b", &G::b, kLength, "Length of a parallelogram's long sides."),
          part("c", &G::c, kOffset, "Distance of a leg's joint from the centre of the grip."),
          part("d", &G::d, kOffset, "Length at one end of the parallelogram."),
          part("e", &G::e, kOffset, "Length at the other end of the parallelogram."),
          part("f", &G::f, kOffset, "Offset of a leg along its v axis."),
          part("r", &G::r, kOffset, "Distance of a motor's axis from the centre of the base."),
          part("s", &G::s, kOffset, "Offset of a motor's axis along the v axis of its leg."),
          key_of<F>("leg_angles_deg", inner(&F::geometry, &G::leg_angles), kAngle,
                    "Angles of the legs about the axis of the base.")
              .required(),
          key_of<F>("zero_angle_deg", inner(&F::geometry, &G::zero_angle), kAngle,
                    "Angle of each joint at count 0, after homing.")
              .required(),
          key("counts_per_motor_turn", &F::counts_per_motor_turn, IntegerRange{1, 1'000'000},
              "Counts of an encoder per turn of its motor.")
              .required(),
          key("shaft_diameter", &F::shaft_diameter, kLength,
              "Diameter of a motor's shaft, on which the cable runs.")
              .required(),
          key("drum_diameter", &F::drum_diameter, kLength,
              "Diameter of a joint's drum; over that of the shaft it is the gear ratio.")
              .required(),
          key("centre", &F::centre, kOffset, "Origin of the device frame in the frame of the base.")
              .required(),
      },
      [](const TomlTable&, F& s) {
        s.gear_ratio = s.drum_diameter / s.shaft_diameter;
        s.geometry.radians_per_count =
            2.0 * std::numbers::pi / static_cast<double>(s.counts_per_motor_turn) / s.gear_ratio;
      });
  return keys;
}

const KeySchema<F>& motor_keys() {
  using M = MotorLimits;
  const auto of_motor = [](std::string_view name, double M::*member, const NumberRange& range,
                           std::string_view meaning) {
    return key_of<F>(name, inner(&F::motor, member), range, meaning).required();
  };
  static const KeySchema<F> keys({
      key("units_per_joint_torque", &F::units_per_torque, NumberRange::any("1/(N·m)"),
          "Units of the firmware per torque at the joint, not 0; the sign counts.")
          .required()
          .checked([](const TomlTable& motor, const F& s) {
            if (s.units_per_torque != 0.0) return;
            motor.refuse("units_per_joint_torque", "found 0", "a number that is not 0 [1/(N·m)]");
          }),
      key("largest_unit", &F::largest_unit, IntegerRange{1, 4095},
          "Unit at which the firmware saturates.")
          .required(),
      of_motor("torque", &M::torque, NumberRange::positive("N·m"), "Largest torque of a motor."),
      of_motor("slew", &M::slew, NumberRange::positive("N·m/s"),
               "Largest rate of change of a motor's torque."),
      of_motor("power", &M::power, NumberRange::positive("W"),
               "Largest mechanical power of a motor into the mechanism."),
      of_motor("torque_constant", &M::torque_constant, NumberRange::positive("N·m/A"),
               "Torque per current."),
      of_motor("resistance", &M::resistance, NumberRange::non_negative("ohm"),
               "Resistance of a winding at 25 degrees Celsius."),
      of_motor("thermal_resistance", &M::thermal_resistance, NumberRange::non_negative("K/W"),
               "Thermal resistance from winding to ambient."),
      of_motor("thermal_time_s", &M::thermal_time_s, NumberRange::positive("s"),
               "Thermal time constant of a winding."),
      of_motor("ambient_C", &M::ambient_C, NumberRange::between(-20.0, 60.0, "C"),
               "Ambient temperature."),
      key_of<F>("max_C", inner(&F::motor, &M::max_C),
                DependentRange<F>{"C", "ambient_C + 1 to 200",
                                  [](const F& s) {
                                    return NumberRange::between(s.motor.ambient_C + 1.0, 200.0,
                                                                "C");
                                  }},
                "Estimated temperature of a winding above which the motors stay off.")
          .required(),
  });
  return keys;
}

const KeySchema<EncoderLimits>& encoder_keys() {
  using E = EncoderLimits;
  static const KeySchema<E> keys({
      key("max_joint_speed", &E::speed, NumberRange::positive("rad/s"),
          "Speed of a joint above which its reading has jumped, which is a fault.")
          .required(),
      key("stuck_s", &E::stuck_s, NumberRange::positive("s"),
          "Time without a count under stuck_torque after which an encoder is stuck, which is a "
          "fault.")
          .required(),
      key("stuck_torque", &E::stuck_torque, NumberRange::positive("N·m"),
          "Least torque of a motor under which a missing count matters.")
          .required(),
  });
  return keys;
}

// libnifalcon contradicts itself about which bit is which colour, so the bits are data.
DeclaredKey<FalconLights> led_bits(std::string_view name, std::uint8_t FalconLights::*member,
                                   std::string_view meaning) {
  return key(name, member, IntegerRange{0, kFalconLedBits}, meaning)
      .required()
      .checked([name, member](const TomlTable& leds, const FalconLights& lights) {
        if ((lights.*member & ~kFalconLedBits) == 0) return;
        leds.refuse(name, fmt::format("found {}", lights.*member), "a sum of 2, 4 and 8");
      });
}

const KeySchema<FalconLights>& led_keys() {
  using L = FalconLights;
  static const KeyWords<FalconColour> colours{{"red", FalconColour::kRed},
                                              {"green", FalconColour::kGreen},
                                              {"blue", FalconColour::kBlue},
                                              {"off", FalconColour::kOff}};
  static const KeySchema<L> keys({
      led_bits("red", &L::red, "Bits of red: a sum of 2, 4 and 8."),
      led_bits("green", &L::green, "Bits of green: a sum of 2, 4 and 8."),
      led_bits("blue", &L::blue, "Bits of blue: a sum of 2, 4 and 8."),
      key("homing", &L::homing, colours,
          "Light of a device that is not homed: pull the grip out, then push it in."),
      key("ready", &L::ready, colours, "Light of a homed device without force."),
      key("engaged", &L::engaged, colours, "Light of an engaged device."),
  });
  return keys;
}

}  // namespace

const KeySchema<FalconSettings>& falcon_keys() {
  static const KeySchema<F> keys({
      key("enable_button", &F::enable_button, IntegerRange{0, kButtons - 1},
          "Bit of the button of the grip that must be held to run.")
          .absent("none"),
      table("usb", &F::identity, usb_keys(), "Which USB device is meant.").required(),
      table("firmware", &F::firmware, firmware_keys(),
            "Firmware that is loaded after power-on; you supply the image.")
          .absent("the device must have its firmware"),
      table("io", io_keys(), "Time limits of the bus.").required(),
      table("limits", falcon_limits_keys(),
            "What the device renders, and limits for every scene on it.")
          .required(),
      table("geometry", geometry_keys(),
            "Legs and transmission, in the letters of Stamper's thesis (1997).")
          .required(),
      table("motor", motor_keys(), "The three motors, at their shafts.").required(),
      table("encoder", &F::encoder, encoder_keys(), "What counts as a plausible reading.")
          .required(),
      table("leds", &F::lights, led_keys(), "Lights of the base.").required(),
  });
  return keys;
}

std::span<const KeyGroup> falcon_groups() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "falcon", "", falcon_keys().described()},
      KeyGroup{"manifest", "kind", "falcon", "limits.",
               device_limit_keys(LimitsNeeded::kForce).described()},
  };
  return groups;
}

}  // namespace haptic
