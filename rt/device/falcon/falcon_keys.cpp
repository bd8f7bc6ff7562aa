#include "rt/device/falcon/falcon_keys.h"

#include <array>

#include "rt/device/device_limits.h"

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kFalconKeys[] = {
    {"enable_button", kInteger, "1", "0 to 3", "none",
     "Bit of the button of the grip that must be held to run."},

    {"usb", kTable, "-", "", "required", "Which USB device is meant."},
    {"usb.vendor", kInteger, "1", "0 to 65535", "required", "Vendor id."},
    {"usb.product", kInteger, "1", "0 to 65535", "required", "Product id."},
    {"usb.serial", kText, "-", "", "the first free device", "Serial number of one of several."},

    {"firmware", kTable, "-", "", "the device must have its firmware",
     "Firmware that is loaded after power-on; you supply the image."},
    {"firmware.file", kFile, "-", "", "required", "The image."},
    {"firmware.size", kInteger, "bytes", "2 to 262144", "required", "Size of the image."},
    {"firmware.hash", kText, "-", "", "required",
     "\"md5:\" and 32 or \"sha256:\" and 64 lower-case hexadecimal digits of the image."},

    {"io", kTable, "-", "", "required", "Time limits of the bus."},
    {"io.priority", kInteger, "1", "0 to 98", "required",
     "SCHED_FIFO priority of the thread that talks to the bus; 0: an ordinary thread."},
    {"io.reply_timeout_s", kNumber, "s", "0.0001 to 10", "required",
     "Time without a reply after which a packet counts as lost and is sent again."},
    {"io.hang_timeout_s", kNumber, "s", "0.0001 to 10", "required",
     "Time without a reply after which the device is lost; at least twice reply_timeout_s."},
    {"io.command_timeout_s", kNumber, "s", "0.0001 to 10", "required",
     "Age of a servo command after which zero torque is sent."},
    {"io.retry_s", kNumber, "s", "0.0001 to 10", "required",
     "Time between two attempts to connect."},
    {"io.stale_s", kNumber, "s", "0.0001 to 10", "required",
     "Time without a report of the bus thread after which the device is lost."},
    {"io.stall_timeout_s", kNumber, "s", "0.004 to 10", "0.01",
     "Time without progress of the bus thread under a torque after which the guard takes the "
     "device."},

    {"limits", kTable, "-", "", "required",
     "What the device renders, and limits for every scene on it."},
    {"limits.max_force", kNumber, "N", "> 0", "required", "Largest force of the device."},
    {"limits.max_stiffness", kNumber, "N/m", "> 0", "required",
     "Largest stiffness that the device renders at 1 kHz."},
    {"limits.workspace_radius", kNumber, "m", "above 0, at most 0.2", "required",
     "Radius of the workspace about geometry.centre, which the legs must reach."},

    {"geometry", kTable, "-", "", "required",
     "Legs and transmission, in the letters of Stamper's thesis (1997)."},
    {"geometry.a", kNumber, "m", "above 0, at most 1", "required", "Length of an upper arm."},
    {"geometry.b", kNumber, "m", "above 0, at most 1", "required",
     "Length of a parallelogram's long sides."},
    {"geometry.c", kNumber, "m", "-1 to 1", "required",
     "Distance of a leg's joint from the centre of the grip."},
    {"geometry.d", kNumber, "m", "-1 to 1", "required", "Length at one end of the parallelogram."},
    {"geometry.e", kNumber, "m", "-1 to 1", "required",
     "Length at the other end of the parallelogram."},
    {"geometry.f", kNumber, "m", "-1 to 1", "required", "Offset of a leg along its v axis."},
    {"geometry.r", kNumber, "m", "-1 to 1", "required",
     "Distance of a motor's axis from the centre of the base."},
    {"geometry.s", kNumber, "m", "-1 to 1", "required",
     "Offset of a motor's axis along the v axis of its leg."},
    {"geometry.leg_angles_deg", kNumbers, "degrees", "3 numbers, each -360 to 360", "required",
     "Angles of the legs about the axis of the base."},
    {"geometry.zero_angle_deg", kNumber, "degrees", "-360 to 360", "required",
     "Angle of each joint at count 0, after homing."},
    {"geometry.counts_per_motor_turn", kInteger, "1", "1 to 1e6", "required",
     "Counts of an encoder per turn of its motor."},
    {"geometry.shaft_diameter", kNumber, "m", "above 0, at most 1", "required",
     "Diameter of a motor's shaft, on which the cable runs."},
    {"geometry.drum_diameter", kNumber, "m", "above 0, at most 1", "required",
     "Diameter of a joint's drum; over that of the shaft it is the gear ratio."},
    {"geometry.centre", kNumbers, "m", "3 numbers, each -1 to 1", "required",
     "Origin of the device frame in the frame of the base."},

    {"motor", kTable, "-", "", "required", "The three motors, at their shafts."},
    {"motor.units_per_joint_torque", kNumber, "1/(N·m)", "", "required",
     "Units of the firmware per torque at the joint, not 0; the sign counts."},
    {"motor.largest_unit", kInteger, "1", "1 to 4095", "required",
     "Unit at which the firmware saturates."},
    {"motor.torque", kNumber, "N·m", "> 0", "required", "Largest torque of a motor."},
    {"motor.slew", kNumber, "N·m/s", "> 0", "required",
     "Largest rate of change of a motor's torque."},
    {"motor.power", kNumber, "W", "> 0", "required",
     "Largest mechanical power of a motor into the mechanism."},
    {"motor.torque_constant", kNumber, "N·m/A", "> 0", "required", "Torque per current."},
    {"motor.resistance", kNumber, "ohm", ">= 0", "required",
     "Resistance of a winding at 25 degrees Celsius."},
    {"motor.thermal_resistance", kNumber, "K/W", ">= 0", "required",
     "Thermal resistance from winding to ambient."},
    {"motor.thermal_time_s", kNumber, "s", "> 0", "required",
     "Thermal time constant of a winding."},
    {"motor.ambient_C", kNumber, "C", "-20 to 60", "required", "Ambient temperature."},
    {"motor.max_C", kNumber, "C", "ambient_C + 1 to 200", "required",
     "Estimated temperature of a winding above which the motors stay off."},

    {"encoder", kTable, "-", "", "required", "What counts as a plausible reading."},
    {"encoder.max_joint_speed", kNumber, "rad/s", "> 0", "required",
     "Speed of a joint above which its reading has jumped, which is a fault."},
    {"encoder.stuck_s", kNumber, "s", "> 0", "required",
     "Time without a count under stuck_torque after which an encoder is stuck, which is a fault."},
    {"encoder.stuck_torque", kNumber, "N·m", "> 0", "required",
     "Least torque of a motor under which a missing count matters."},

    {"leds", kTable, "-", "", "required", "Lights of the base."},
    {"leds.red", kInteger, "1", "0 to 14", "required", "Bits of red: a sum of 2, 4 and 8."},
    {"leds.green", kInteger, "1", "0 to 14", "required", "Bits of green: a sum of 2, 4 and 8."},
    {"leds.blue", kInteger, "1", "0 to 14", "required", "Bits of blue: a sum of 2, 4 and 8."},
    {"leds.homing", kChoice, "-", "red, green, blue, off", "red",
     "Light of a device that is not homed: pull the grip out, then push it in."},
    {"leds.ready", kChoice, "-", "red, green, blue, off", "blue",
     "Light of a homed device without force."},
    {"leds.engaged", kChoice, "-", "red, green, blue, off", "green", "Light of an engaged device."},
};

}  // namespace

std::span<const KeyGroup> falcon_keys() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "falcon", "", kFalconKeys},
      KeyGroup{"manifest", "kind", "falcon", "limits.",
               device_limit_keys(LimitsNeeded::kForce).described()},
  };
  return groups;
}

}  // namespace haptic
