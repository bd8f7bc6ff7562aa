#pragma once

#include <filesystem>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "rt/device/arm/serial_link.h"
#include "rt/device/device.h"
#include "rt/device/device_manifest.h"
#include "rt/device/encoder_watch.h"
#include "rt/device/motor_stage.h"

namespace haptic {

/// One axis of an arm: encoder, transmission, motor and amplifier. `coordinate` is the axis
/// coordinate: rad of a joint that turns, m of one that slides.
struct ArmAxis {
  double counts_per_turn = 0.0;   ///< of the motor's shaft, as the board counts, > 0
  int encoder_sign = 1;           ///< counts grow with the coordinate: 1; fall: -1
  double ratio = 1.0;             ///< motor rad per coordinate, > 0
  int motor_sign = 1;             ///< positive volts push the coordinate up: 1; down: -1
  double amperes_per_volt = 0.0;  ///< of the amplifier, > 0
  MotorLimits motor;
  EncoderLimits encoder;  ///< at the motor's shaft
  double friction = 0.0;  ///< Coulomb, at the joint [N·m or N], >= 0
  double damping = 0.0;   ///< viscous, at the joint [N·m s/rad or N s/m], >= 0
  double minimum = -std::numeric_limits<double>::infinity();  ///< of the coordinate
  double maximum = std::numeric_limits<double>::infinity();

  /// Volts at the amplifier for a torque at the motor's shaft.
  double volts(double torque) const HAPTIC_REALTIME {
    return motor_sign * torque / (motor.torque_constant * amperes_per_volt);
  }
  double torque(double volts) const HAPTIC_REALTIME {
    return motor_sign * volts * motor.torque_constant * amperes_per_volt;
  }
  /// Change of the coordinate by one count.
  double step() const HAPTIC_REALTIME { return 2.0 * std::numbers::pi / (counts_per_turn * ratio); }
};

/// How the counters' readings become angles.
enum class ArmHoming {
  kAtStart,  ///< an operator says after a start that the arm rests in its calibration pose
  kFile,     ///< `haptic calibrate` wrote what the counters read there
};

/// An arm as its manifest describes it, apart from the board that drives it.
struct ArmSettings {
  std::string name;
  std::string source;  ///< the manifest's file, for messages
  SerialLinkSettings link;
  std::vector<ArmAxis> axes;         ///< as many as joints; the first `motors` have a motor
  std::size_t motors = 3;            ///< 3 or 6
  Vector3 origin = Vector3::Zero();  ///< device frame's origin, arm frame [m]
  Quaternion orientation = Quaternion::Identity();  ///< device frame -> arm frame
  double max_force = 0.0;                           ///< N
  double max_torque = 0.0;                          ///< N·m; 0 with three motors
  double max_stiffness = 0.0;                       ///< N/m at 1 kHz
  double workspace_radius = 0.0;                    ///< m
  DeviceLimits limits;                              ///< in addition to the rating
  int enable_button = -1;              ///< bit of the button that is held to run; -1: none
  double range_margin = 0.1;           ///< beyond a joint's range before a reading is implausible
  double gravity_compensation = 1.0;   ///< of the links' weight that the motors carry, 0..1
  double friction_compensation = 0.0;  ///< of the friction that is compensated, 0..0.9
  double friction_speed = 0.05;     ///< speed from which it is compensated in full [rad/s or m/s]
  double velocity_cutoff_hz = 0.0;  ///< of the speed's low pass; 0: plain differences
  ArmHoming homing = ArmHoming::kAtStart;
  std::vector<double> calibration_pose;    ///< a coordinate per axis
  std::filesystem::path calibration_file;  ///< absolute; of kFile
  double hold_s = 0.5;                     ///< stillness that ends homing [s]
  double hold_counts = 4.0;                ///< largest change of a counter that counts as stillness
};

/// Reads [rating], [limits], [frame], [gravity], [friction], [encoders], [[joint]], [[axis]],
/// [calibration] and `tool` of a "comedi-arm" manifest; the caller ends with
/// manifest.table.finish().
/// @throws InputError for a value out of range and for an impossible geometry: see check_arm
ArmSettings read_arm(const DeviceManifest& manifest);

/// Refuses an arm that could not work: a calibration pose or origin out of the joints' ranges, a
/// handle that the motors cannot push in every direction at the calibration pose, motors too weak
/// for the rated force there, a workspace beyond the arm's reach.
/// @throws InputError naming what does not fit
void check_arm(const ArmSettings& arm);

/// Axis coordinates [rad or m] at which the handle is at `target` (arm frame), by damped Newton
/// steps from `start`; empty if none within the joints' ranges is found to 1e-9 m. Arms of three
/// axes only. Not for the loop.
std::vector<double> coordinates_at(const ArmSettings& arm, const Vector3& target,
                                   const std::vector<double>& start);

}  // namespace haptic
