#include "rt/worlds/condensed/condensed_keys.h"

namespace haptic::condensed {
namespace {

using enum KeyKind;

const DocumentKey kCondensedKeys[] = {
    {"condensed", kTable, "-", "", "the defaults",
     "How statics and modes of the body are coupled."},
    {"condensed.coupling", kChoice, "-", "multipliers, statics", "multipliers",
     "Whether statics and modes are solved together, or the forces of the statics drive the modes "
     "in the next step, which has a stability limit."},
    {"condensed.integrator", kChoice, "-", "exact, implicit, symplectic",
     "exact; implicit with coupling = \"statics\"",
     "Integrator of the modes: exact rings with the recipe's frequency and damping at any rate, "
     "implicit is the published backward Euler; symplectic only with coupling = \"statics\", "
     "exact only with \"multipliers\"."},
    {"condensed.modes", kInteger, "1", "0 to 4096", "all of the model's",
     "Number of lowest modes in use; the rest of the motion is static."},
    {"condensed.corotated", kFlag, "-", "", "false",
     "Whether every part of the body turns with the modes, for large bending and twist; not with "
     "coupling = \"statics\"."},
    {"condensed.release_s", kNumber, "s", "0 to 10", "0",
     "Time constant with which the dent of a contact that ends recovers; 0: in one step."},
    {"contact", kTable, "-", "", "the defaults", "Contact of the tool with the condensed body."},
    {"contact.points", kNumbers, "m", "numbers, each -1000 to 1000", "the tool's field",
     "Points of a stylus in the frame of the held body: x, y, z of each, one after the other."},
    {"contact.stick", kFlag, "-", "", "false",
     "Whether contacts do not slide while they press; not with friction or viscosity."},
    {"contact.friction", kNumber, "1", "0 to 100", "0.5", "Coulomb's coefficient of friction.",
     "contact.friction"},
    {"contact.viscosity", kNumber, "N s/m", "above 0, at most 1e6", "dry friction",
     "Resistance of each contact that slides below the limit of friction."},
    {"contact.capacity", kInteger, "1", "1 to 512", "64",
     "Largest number of contacts in a step; those that press and the deepest are kept."},
};

}  // namespace

std::span<const DocumentKey> condensed_keys() {
  return kCondensedKeys;
}

}  // namespace haptic::condensed
