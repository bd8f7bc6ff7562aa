#include "rt/device/arm/arm_keys.h"

#include <array>

#include "rt/device/device_limits.h"

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kArmKeys[] = {
    {"tool", kNumbers, "m", "3 numbers", "[0, 0, 0]",
     "Position of the handle from the last joint, with all joints at 0."},
    {"motors", kInteger, "1", "3 to 6", "3",
     "Number of axes with a motor, from the first: 3, or 6 of 6 axes."},

    {"rating", kTable, "-", "", "required", "What the arm renders."},
    {"rating.force", kNumber, "N", "> 0", "required",
     "Force in every direction at the centre of the workspace, which the motors must reach."},
    {"rating.stiffness", kNumber, "N/m", "> 0", "required",
     "Largest stiffness that the arm renders at 1 kHz."},
    {"rating.workspace_radius", kNumber, "m", "> 0", "required",
     "Radius of the workspace about the origin, which the arm must reach."},
    {"rating.torque", kNumber, "N·m", "> 0", "required with motors = 6",
     "Largest torque of the arm; only with six motors."},
    {"limits", kTable, "-", "", "required",
     "Limits for every scene on this arm; a scene may set lower ones."},

    {"frame", kTable, "-", "", "that of the arm", "Device frame in the frame of the arm."},
    {"frame.origin", kNumbers, "m", "3 numbers", "[0, 0, 0]", "Origin of the device frame."},
    {"frame.orientation", kNumbers, "1", "4 numbers", "[1, 0, 0, 0]",
     "Rotation from device axes to arm axes: unit quaternion w, x, y, z."},

    {"gravity", kTable, "-", "", "the defaults", "Weight of the links."},
    {"gravity.vector", kNumbers, "m/s²", "3 numbers", "[0, 0, -9.80665]",
     "Gravity in the frame of the arm."},
    {"gravity.compensation", kNumber, "1", "0 to 1", "1",
     "Part of the weight of the links that the motors carry while engaged."},
    {"friction", kTable, "-", "", "not compensated", "Compensation of the axes' friction."},
    {"friction.compensation", kNumber, "1", "0 to 0.9", "required",
     "Part of the friction and damping of the axes that the motors overcome."},
    {"friction.speed", kNumber, "rad/s or m/s", "> 0", "0.05",
     "Speed of an axis from which its friction is compensated in full."},
    {"encoders", kTable, "-", "", "the defaults", "How readings are checked and filtered."},
    {"encoders.range_margin", kNumber, "rad or m", ">= 0", "0.1",
     "Distance beyond an axis' range at which a reading is a fault."},
    {"encoders.velocity_cutoff_hz", kNumber, "Hz", "> 0", "no filter",
     "Cut-off frequency of the low pass of the speeds."},

    {"joint[]", kTables, "-", "", "required",
     "A joint of the chain, from base to handle: 3 or 6. Vectors are given with all joints at 0."},
    {"joint[].kind", kChoice, "-", "turn, slide", "turn",
     "Whether the joint turns about its axis or slides along it."},
    {"joint[].axis", kNumbers, "1", "3 numbers", "required", "Direction of the axis."},
    {"joint[].offset", kNumbers, "m", "3 numbers", "[0, 0, 0]",
     "Position from the previous joint, of the first from the origin of the arm."},
    {"joint[].coupling", kNumbers, "1", "3 or 6 numbers", "1 for the axis of the same number",
     "Factors with which the coordinates of all axes give the value of the joint."},
    {"joint[].zero", kNumber, "rad or m", "", "0",
     "Value of the joint where the coordinates are 0."},
    {"joint[].range", kNumbers, "rad or m", "2 numbers", "no limit",
     "Least and greatest value of the joint."},
    {"joint[].mass", kNumber, "kg", ">= 0", "0", "Mass of the link that the joint moves."},
    {"joint[].centre", kNumbers, "m", "3 numbers", "[0, 0, 0]",
     "Centre of that mass from the joint."},

    {"axis[]", kTables, "-", "", "required",
     "Encoder, transmission, motor and amplifier of the joint with the same number."},
    {"axis[].counts_per_turn", kNumber, "1", "> 0", "required",
     "Counts per turn of the motor's shaft, as the board counts."},
    {"axis[].encoder_direction", kInteger, "1", "-1 to 1", "1",
     "1, or -1 if counts fall while the coordinate grows."},
    {"axis[].gear_ratio", kNumber, "1", "> 0", "required for a turning joint",
     "Turns of the motor per turn of the joint."},
    {"axis[].drum_radius", kNumber, "m", "> 0", "required for a sliding joint",
     "Radius of the drum that moves the slide."},
    {"axis[].range", kNumbers, "rad or m", "2 numbers", "no limit",
     "Least and greatest coordinate."},
    {"axis[].max_speed", kNumber, "rad/s", "> 0", "no limit",
     "Speed of the motor above which a reading has jumped, which is a fault."},
    {"axis[].motor_direction", kInteger, "1", "-1 to 1", "1",
     "1, or -1 if positive volts make the coordinate fall."},
    {"axis[].amperes_per_volt", kNumber, "A/V", "> 0", "required", "Gain of the amplifier."},
    {"axis[].torque_constant", kNumber, "N·m/A", "> 0", "required", "Torque per current."},
    {"axis[].max_torque", kNumber, "N·m", "> 0", "required", "Largest torque of the motor."},
    {"axis[].max_slew", kNumber, "N·m/s", "> 0", "no limit",
     "Largest rate of change of the motor's torque."},
    {"axis[].max_power", kNumber, "W", "> 0", "no limit",
     "Largest mechanical power of the motor into the mechanism."},
    {"axis[].resistance", kNumber, "ohm", "> 0", "no temperature model",
     "Resistance of the winding at 25 degrees Celsius; the other thermal keys belong to it."},
    {"axis[].thermal_resistance", kNumber, "K/W", "> 0", "required with resistance",
     "Thermal resistance from winding to ambient."},
    {"axis[].thermal_time_s", kNumber, "s", "> 0", "required with resistance",
     "Thermal time constant of the winding."},
    {"axis[].ambient_C", kNumber, "°C", "-40 to 80", "25",
     "Ambient temperature; only with resistance."},
    {"axis[].max_C", kNumber, "°C", "above ambient_C, at most 300", "required with resistance",
     "Estimated temperature of the winding above which the motors stay off."},
    {"axis[].friction", kNumber, "N·m or N", ">= 0", "0",
     "Coulomb friction at the joint, for the compensation."},
    {"axis[].damping", kNumber, "N·m s/rad or N s/m", ">= 0", "0",
     "Viscous damping at the joint, for the compensation."},
    {"axis[].stuck_s", kNumber, "s", "> 0", "not watched",
     "Time without a count under stuck_torque after which an encoder is stuck, which is a fault."},
    {"axis[].stuck_torque", kNumber, "N·m", "> 0", "required with stuck_s",
     "Least torque of the motor under which a missing count matters."},

    {"calibration", kTable, "-", "", "required", "How the counters' readings become coordinates."},
    {"calibration.method", kChoice, "-", "at-start, file", "at-start",
     "Whether an operator homes the arm after each start, or haptic calibrate wrote a file."},
    {"calibration.pose", kNumbers, "rad or m", "3 or 6 numbers", "required",
     "Coordinates of the pose in which the arm is homed."},
    {"calibration.file", kFile, "-", "", "NAME.calibration.toml in /var/lib/hapticd",
     "File of haptic calibrate; only with method = \"file\"."},
    {"calibration.hold_s", kNumber, "s", "> 0", "0.5",
     "Time at rest after which the arm counts as homed."},
    {"calibration.hold_counts", kNumber, "1", "> 0", "4",
     "Largest change of a counter that counts as rest."},
};

}  // namespace

std::span<const KeyGroup> arm_keys() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "comedi-arm", "", kArmKeys},
      KeyGroup{"manifest", "kind", "comedi-arm", "limits.",
               device_limit_keys(LimitsNeeded::kForce).described()},
  };
  return groups;
}

}  // namespace haptic
