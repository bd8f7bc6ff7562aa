#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rt/device/device.h"
#include "rt/device/device_manifest.h"
#include "rt/device/encoder_watch.h"
#include "rt/device/falcon/firmware_image.h"
#include "rt/device/falcon/kinematics.h"
#include "rt/device/falcon/link.h"
#include "rt/device/motor_stage.h"
#include "shared/realtime.h"

namespace haptic {

/// Which plugged-in device is meant.
struct FalconIdentity {
  std::uint16_t vendor = 0x0403;
  std::uint16_t product = 0xcb48;
  std::string serial;  ///< empty: the first one that is free
};

enum class FalconColour : std::uint8_t { kRed, kGreen, kBlue, kOff };

/// LED bits of the colours, and which colour is shown when.
struct FalconLights {
  std::uint8_t red = 0, green = 0, blue = 0;
  FalconColour homing = FalconColour::kRed;     ///< pull the grip fully out, then push it in
  FalconColour ready = FalconColour::kBlue;     ///< homed, zero force
  FalconColour engaged = FalconColour::kGreen;  ///< forces may come

  std::uint8_t bits(FalconColour colour) const HAPTIC_REALTIME {
    switch (colour) {
      case FalconColour::kRed:
        return red;
      case FalconColour::kGreen:
        return green;
      case FalconColour::kBlue:
        return blue;
      case FalconColour::kOff:
        break;
    }
    return 0;
  }
};

/// A Falcon as its manifest (firmware-config/novint-falcon.toml) describes it.
struct FalconSettings {
  std::string name;
  std::string source;  ///< the manifest's file, for errors
  FalconIdentity identity;
  std::optional<FirmwareFile> firmware;
  FalconTimes times;
  int io_priority = 85;   ///< SCHED_FIFO of the I/O thread; 0: ordinary
  double stale_s = 0.1;   ///< no report from the I/O thread for so long: disconnected
  double stall_s = 0.01;  ///< no progress of the I/O thread for so long: the motors are not reached
  int enable_button = -1;  ///< bit of the button that is held to run; -1: none
  FalconGeometry geometry;
  Vector3 centre{0.0, 0.0, 0.11};  ///< origin of the device frame, in the base's [m]
  double gear_ratio = 1.0;         ///< motor turns per joint turn
  double max_force = 8.0;          ///< N
  double max_stiffness = 1000.0;   ///< N/m at 1 kHz
  double workspace_radius = 0.05;  ///< m about the centre
  double units_per_torque = 0.0;   ///< firmware's units per N·m at the joint; the sign counts
  int largest_unit = 4095;
  DeviceLimits limits;    ///< in addition to force, stiffness and workspace
  MotorLimits motor;      ///< each of the three, at the motor's shaft
  EncoderLimits encoder;  ///< each of the three, joint angles, motor torque
  FalconLights lights;
  std::uint32_t counts_per_motor_turn = 1280;  ///< of an encoder
  double shaft_diameter = 0.01425;             ///< of a motor [m]
  double drum_diameter = 0.110;                ///< of a joint [m]
};

/// @throws InputError for a key that is missing, unknown or out of range, and for a geometry that
///         does not reach its workspace
FalconSettings read_falcon(const DeviceManifest& manifest);

}  // namespace haptic
