#include "rt/device/simulated_keys.h"

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kSimulatedKeys[] = {
    {"script", kFile, "-", "", "a hand at rest",
     "CSV file with the poses of the hand over time; not for a steered hand."},
    {"hand", kChoice, "-", "scripted, spring-damper, free, steered", "scripted",
     "How the hand moves: exactly on the script, pulled to it and pushed by the force, as a free "
     "handle, or pulled to a target that an operator moves.",
     "hand.x hand.y hand.z hand.rx hand.ry hand.rz"},
    {"mass", kNumber, "kg", "> 0", "0.3", "Mass of hand and handle; not for a scripted hand."},
    {"stiffness", kNumber, "N/m", ">= 0", "300",
     "Spring that pulls the hand to its script or target; for spring-damper and steered."},
    {"damping", kNumber, "N s/m", ">= 0", "15",
     "Damper of the hand, of a free handle that of the device; not for a scripted hand."},
    {"push", kNumbers, "N", "3 numbers", "[0, 0, 0]",
     "Constant force on a free handle, device frame."},
    {"encoder_step", kNumber, "m", ">= 0", "0",
     "Step to which each coordinate of the position is rounded; 0: exact."},
    {"encoder_angle", kNumber, "rad", ">= 0", "0",
     "Step to which each component of the rotation vector is rounded; 0: exact."},
    {"saturation", kNumber, "N", "> 0", "none",
     "Largest force of the simulated amplifier along each axis."},
    {"delay", kNumber, "s", "0 to 1", "0", "Time from a command to its force, in whole exchanges."},
    {"watch_speed", kNumber, "m/s", "> 0", "none",
     "Speed above which a change of the position is taken for a jump of an encoder, a fault."},
    {"watch_stuck_s", kNumber, "s", "> 0", "none",
     "Time without any change under watch_stuck_force after which an encoder is taken for stuck, a "
     "fault."},
    {"watch_stuck_force", kNumber, "N", "> 0", "none",
     "Least force under which an unchanged position counts for watch_stuck_s."},
    {"faults[]", kTables, "-", "", "none", "Faults that the device produces at given times."},
    {"faults[].kind", kChoice, "-",
     "jump, stuck, disconnect, nan, eio, late, stop, unhomed, hot, discrepancy, old, stall, button",
     "required", "Which fault."},
    {"faults[].at", kNumber, "s", "0 to 1e6", "required",
     "Time of the fault, counted from the first exchange."},
    {"faults[].lasts", kNumber, "s", "0 to 1e6", "0; one exchange", "Duration of the fault."},
    {"faults[].size", kNumber, "m or s", "-1e6 to 1e6", "required for jump, late and old",
     "Offset of a jump [m], delay of late or age of old [s], which are >= 0; only for these."},
    {"enable_button", kInteger, "1", "0 to 31", "none",
     "Bit of the button that must be held to run; the simulated hand holds it."},
};

}  // namespace

std::span<const DocumentKey> simulated_keys() {
  return kSimulatedKeys;
}

}  // namespace haptic
