#include "rt/device/device_keys.h"

#include <array>

#include "rt/device/simulated_keys.h"

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kManifestKeys[] = {
    {"kind", kChoice, "-", "falcon, comedi-arm, external, simulated, replay", "required",
     "Which driver the device has."},
    {"name", kText, "-", "", "required",
     "Name of the device for scenes, telemetry and calibration files: 1 to 48 of a-z, 0-9 and -."},
    {"description", kText, "-", "", "none", "One line for haptic devices."},
};

const DocumentKey kDeviceLimitKeys[] = {
    {"speed", kNumber, "m/s", "> 0", "no limit; required for a device with motors",
     "Largest speed of an engaged hand; a higher one is a fault."},
    {"angular_speed", kNumber, "rad/s", "> 0", "no limit; required for a device with a torque",
     "Largest angular speed of an engaged hand; a higher one is a fault."},
    {"reach", kNumber, "m", "> 0", "no limit; required for a device with motors",
     "Largest distance of an engaged hand from the origin; beyond it is a fault."},
    {"slew_N_per_s", kNumber, "N/s", "> 0", "no limit; required for a device with motors",
     "Largest rate of change of the force."},
    {"torque_slew_Nm_per_s", kNumber, "N·m/s", "> 0",
     "no limit; required for a device with a torque", "Largest rate of change of the torque."},
    {"power", kNumber, "W", "> 0", "no limit; required for a device with motors",
     "Largest power into the hand."},
    {"impulse", kNumber, "N·s", "> 0", "no limit; required for a device with motors",
     "Largest integral of the force's magnitude within impulse_window_s; more is a fault."},
    {"impulse_window_s", kNumber, "s", "0.01 to 60", "2", "Window of impulse."},
};

const DocumentKey kLimitsTable[] = {
    {"limits", kTable, "-", "", "no limits",
     "Limits for every scene on this device; a scene may set lower ones."},
};

const DocumentKey kReplayKeys[] = {
    {"recording", kFile, "-", "", "required",
     "CSV file like a hand script, with one row for each exchange."},
    {"enable_button", kInteger, "1", "0 to 31", "none",
     "Bit of the button that must be held to run; held until the recording ends."},
};

}  // namespace

std::span<const KeyGroup> manifest_core_keys() {
  static const std::array kGroups = {KeyGroup{"manifest", "", "", "", kManifestKeys}};
  return kGroups;
}

std::span<const DocumentKey> device_limit_keys() {
  return kDeviceLimitKeys;
}

std::span<const KeyGroup> simulated_manifest_keys() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "simulated", "", simulated_keys().described()},
      KeyGroup{"manifest", "kind", "simulated", "", kLimitsTable},
      KeyGroup{"manifest", "kind", "simulated", "limits.", kDeviceLimitKeys},
  };
  return groups;
}

std::span<const KeyGroup> replay_manifest_keys() {
  static const std::array kGroups = {KeyGroup{"manifest", "kind", "replay", "", kReplayKeys}};
  return kGroups;
}

}  // namespace haptic
