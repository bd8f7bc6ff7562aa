#include "host/unreduced/load_keys.h"

#include <array>

namespace haptic {
namespace {

using enum KeyKind;

const DocumentKey kLoadKeys[] = {
    {"dt_s", kNumber, "s", "> 0", "required", "Time of a step."},
    {"steps", kInteger, "1", "1 to 1e8", "required", "Number of steps."},
    {"gravity", kNumbers, "m/s^2", "3 numbers", "[0, 0, 0]", "Acceleration of the whole body."},
    {"damping", kNumbers, "1", "2 numbers, each >= 0", "the model's",
     "Rayleigh coefficients alpha of the mass [1/s] and beta of the stiffness [s]."},
    {"load[]", kTables, "-", "", "none; required without gravity",
     "A force at one place over a span of time."},
    {"load[].vertex", kInteger, "1", "0 to 4294967295", "required, or near",
     "Number of the vertex, from 0."},
    {"load[].near", kNumbers, "m", "3 numbers", "required, or vertex",
     "Point in the frame of the model; its nearest point in an element is meant."},
    {"load[].force_N", kNumbers, "N", "3 numbers", "required",
     "Force at the place; its length is at most 1e12 N."},
    {"load[].from_s", kNumber, "s", ">= 0", "0", "Time at which the force begins."},
    {"load[].to_s", kNumber, "s", ">= 0", "the end", "Time at which the force ends, after from_s."},
    {"probe[]", kTables, "-", "", "none", "A place whose displacement is logged."},
    {"probe[].vertex", kInteger, "1", "0 to 4294967295", "required, or near",
     "Number of the vertex, from 0."},
    {"probe[].near", kNumbers, "m", "3 numbers", "required, or vertex",
     "Point in the frame of the model; its nearest point in an element is meant."},
};

constexpr std::array kLoadGroups = {KeyGroup{"load-script", "", "", "", kLoadKeys}};

}  // namespace

std::span<const KeyGroup> load_keys() {
  return kLoadGroups;
}

}  // namespace haptic
