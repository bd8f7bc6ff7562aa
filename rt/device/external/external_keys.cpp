#include "rt/device/external/external_keys.h"

#include <array>

#include "rt/device/device_limits.h"

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kExternalKeys[] = {
    {"link", kText, "-", "", "name",
     "Name of the link to the adapter, which gives the same: 1 to 48 of a-z, 0-9 and -."},
    {"adapter_user", kText, "-", "", "nobody else",
     "User who may run the adapter, besides the daemon's user and root."},
    {"freedoms", kChoice, "-", "3, 6", "6",
     "Sensed freedoms: the position, or position and orientation."},
    {"max_age_ms", kNumber, "ms", "1 to 1000", "10",
     "Oldest pose of an engaged device; an older one is a fault."},
    {"zero_after_ms", kNumber, "ms", "1 to 20", "10",
     "Time without a beat of the daemon after which the adapter applies zero."},
    {"hung_adapter", kChoice, "-", "report, end", "report",
     "Whether an adapter that gives no pose while a force may act is reported only, or ended."},
    {"resolution", kNumber, "m", ">= 0", "0", "Resolution of a coordinate; 0: not known."},
    {"enable_button", kInteger, "1", "0 to 31", "none",
     "Bit of the button that must be held to run."},
    {"limits", kTable, "-", "", "required",
     "What the device renders, and limits for every scene on it."},
    {"limits.max_force", kNumber, "N", "> 0", "required", "Largest force of the device."},
    {"limits.max_torque", kNumber, "N·m", ">= 0", "0",
     "Largest torque of the device; 0: it renders none. Only with freedoms = \"6\"."},
    {"limits.max_stiffness", kNumber, "N/m", "> 0", "required",
     "Largest stiffness that the device renders at 1 kHz."},
    {"limits.workspace_radius", kNumber, "m", "0.001 to 5", "required",
     "Radius of the workspace about the origin."},
};

}  // namespace

std::span<const KeyGroup> external_keys() {
  static const std::array groups = {
      KeyGroup{"manifest", "kind", "external", "", kExternalKeys},
      KeyGroup{"manifest", "kind", "external", "limits.",
               device_limit_keys(LimitsNeeded::kForce).described()},
  };
  return groups;
}

}  // namespace haptic
