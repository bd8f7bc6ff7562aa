#include "rt/worlds/solids/solids_keys.h"

namespace haptic::solids {
namespace {

using enum KeyKind;

const DocumentKey kSolidsKeys[] = {
    {"contact[]", kTables, "-", "", "none",
     "A pair of bodies that touch: the points of one against the field of the other."},
    {"contact[].among", kChoice, "-", "free", "points and field",
     "\"free\": every pair with a free body that no other contact names and no joint connects; "
     "instead of points and field."},
    {"contact[].two_way", kFlag, "-", "", "false",
     "Whether the points of both of two free bodies touch the field of the other; only with "
     "among."},
    {"contact[].points", kText, "-", "", "required, or among",
     "Name of the body that has the points."},
    {"contact[].field", kText, "-", "", "required, or among",
     "Name of the body that has the distance field."},
    {"contact[].stiffness", kNumber, "N/m", "0.01 to 1e6", "200",
     "Force of one point per metre of its depth; haptic set changes that of all pairs.",
     "contact.stiffness"},
    {"contact[].foundation", kNumber, "N/m^3", "above 0, at most 1e13", "none",
     "Pressure per metre of depth: a point has the stiffness of the surface area that it stands "
     "for; "
     "instead of stiffness and scaling."},
    {"contact[].wall", kNumber, "N/m", "above 0, at most 1e6", "none",
     "Force over depth of the whole contact, however many points touch; instead of stiffness and "
     "scaling, only with implicit contact."},
    {"contact[].scaling", kChoice, "-", "published, smooth, per-site, none",
     "published; none with a free body",
     "How the force of a point is scaled down where many touch: by their number, smoothly, for "
     "each "
     "connected patch, or not at all."},
    {"contact[].scaling_count", kInteger, "1", "1 to 1e9", "10",
     "Number of touching points up to which forces are not scaled; not with scaling = \"none\"."},
    {"contact[].scaling_depth", kNumber, "m", "> 0", "1/20 of the field's voxel",
     "Depth at which a point counts fully; only with scaling = \"smooth\"."},
    {"contact[].damping", kNumber, "s/m", "0 to 10000", "0",
     "The force of a point is multiplied by 1 + damping times the rate of its depth."},
    {"contact[].restitution", kNumber, "1", "0 to 1", "that of the springs",
     "Speed after an impact of two rigid bodies over that before; with among not for the held "
     "body. "
     "Not with damping."},
    {"contact[].friction", kTable, "-", "", "none", "Coulomb friction of every touching point."},
    {"contact[].friction.static", kNumber, "1", "0 to 100", "required",
     "Coefficient of static friction."},
    {"contact[].friction.dynamic", kNumber, "1", "0 to static", "static",
     "Coefficient of dynamic friction."},
    {"contact[].friction.stiffness", kNumber, "N/m", "> 0", "that of the contact",
     "Spring between a sticking point and its anchor."},
    {"contact[].rolling_friction", kNumber, "m", "0 to 1", "0",
     "Arm of the torque against rolling: the torque is this times the normal force; rigid bodies "
     "only."},
    {"contact[].spinning_friction", kNumber, "m", "0 to 1", "0",
     "The same against turning about the normal."},
    {"contact[].area_weights", kFlag, "-", "", "false",
     "Whether points are weighted by the surface area that they stand for; the model needs shell "
     "area_weights."},
    {"contact[].normals", kChoice, "-", "shell, field",
     "field for a free body and where the field is smoother than the points, else shell",
     "Direction of a point's force: its own normal, or the gradient of the field."},
    {"contact[].gradient", kChoice, "-", "mirror, direct", "coupling.contact_gradient",
     "Derivative of the contact wrench that the coupling uses; only with explicit contact."},
    {"contact[].culling", kChoice, "-", "safe, published", "safe",
     "How subtrees of points are skipped; with published, shallow points can be missed."},
    {"contact[].temporal_coherence", kFlag, "-", "", "true",
     "Whether subtrees that are known to be free are skipped until something comes near."},
    {"contact[].budget_us", kNumber, "us", "> 0", "no limit",
     "Time of this contact in a cycle, beyond which finer levels are left out."},
    {"contact[].node_budget", kInteger, "nodes", "1 to 1e9", "no limit",
     "Nodes of the point tree in a cycle, beyond which finer levels are left out; not with "
     "budget_us."},
    {"contact[].degradation", kTable, "-", "", "the defaults",
     "How finer levels are left out; only with a budget."},
    {"contact[].degradation.rule", kChoice, "-", "hard, published", "hard",
     "Whether a level is entered only if all of it fits into the budget, or if what came before "
     "fits."},
    {"contact[].degradation.cold_ratio", kNumber, "1", "above 0, at most 1", "0.8",
     "Budget of a level that the last cycle did not render, over that of one that it did."},
    {"contact[].degradation.contact_nodes", kNumber, "1", "0 to 100", "0; measured with budget_us",
     "Nodes for which a contact counts in addition to its visit, with rule = \"hard\"; only with "
     "node_budget."},
    {"contact[].degradation.fade_s", kNumber, "s", "0 to 10", "0.02",
     "Shortest fade of the force after a change of levels."},
    {"contact[].continuous", kFlag, "-", "", "false",
     "Whether the motion between two cycles is tested, too, so that fast bodies do not pass "
     "through "
     "each other; not with among."},

    {"joint[]", kTables, "-", "", "none",
     "Connects a free body or the held one with another body or the world."},
    {"joint[].name", kText, "-", "", "required", "Unique name of the joint."},
    {"joint[].type", kChoice, "-", "ball, hinge, prismatic, orientation", "required",
     "What remains free: turning about a point, turning about an axis, sliding along it, or moving "
     "without turning."},
    {"joint[].bodies", kTexts, "-", "2 texts", "required",
     "Names of the two bodies, of which one may be \"world\"."},
    {"joint[].point", kNumbers, "m", "3 numbers, each -1e6 to 1e6", "required",
     "Point of the joint at the start, world; not of an orientation."},
    {"joint[].axis", kNumbers, "1", "3 numbers, each -1e6 to 1e6", "required",
     "Direction of the axis at the start, world; not of a ball."},
    {"joint[].form", kChoice, "-", "five-rows, published", "five-rows",
     "Equations of a prismatic joint: five, or eight as published, three of them redundant."},
    {"joint[].target", kNumber, "rad", "within limits", "0",
     "Angle of the second body about the axis; only of an orientation.", "JOINT.target"},
    {"joint[].limits", kNumbers, "rad", "2 numbers, each -1000 to 1000", "[-1000, 1000]",
     "Least and greatest target; only of an orientation."},
    {"joint[].button", kInteger, "1", "0 to 31", "none",
     "Bit of the device's button that moves the target; only of an orientation."},
    {"joint[].pressed", kNumber, "rad", "within limits", "required with button",
     "Target while the button is pressed; only of an orientation."},
    {"joint[].speed", kNumber, "rad/s", "> 0", "required with button",
     "Speed of the target after the button is pressed or released; only of an orientation."},
    {"joint[].servo", kTable, "-", "", "none",
     "Drives the angle of a hinge or the offset of a prismatic joint to a target."},
    {"joint[].servo.stiffness", kNumber, "N m/rad or N/m", "above 0, at most 1e9", "required",
     "Torque or force per distance from the target."},
    {"joint[].servo.damping", kNumber, "N m s/rad or N s/m", "0 to 1e9", "0",
     "Torque or force per speed of the joint."},
    {"joint[].servo.force_limit", kNumber, "N m or N", "> 0", "no limit",
     "Largest torque or force of the servo."},
    {"joint[].servo.target", kNumber, "rad or m", "within limits", "0",
     "Angle or offset to which the servo drives; 0 at the start.", "JOINT.target"},
    {"joint[].servo.limits", kNumbers, "rad or m", "2 numbers, each -1000 to 1000", "[-1000, 1000]",
     "Least and greatest target."},
    {"joint[].servo.button", kInteger, "1", "0 to 31", "none",
     "Bit of the device's button that moves the target."},
    {"joint[].servo.pressed", kNumber, "rad or m", "within limits", "required with button",
     "Target while the button is pressed."},
    {"joint[].servo.speed", kNumber, "rad/s or m/s", "> 0", "required with button",
     "Speed of the target after the button is pressed or released."},

    {"dynamics", kTable, "-", "", "the defaults", "How the bodies move in time."},
    {"dynamics.integrator", kChoice, "-", "newmark, central-differences, modal", "newmark",
     "How bodies that deform are integrated: implicitly, explicitly, or as linear modes."},
    {"dynamics.newton_iterations", kInteger, "1", "1 to 100", "1",
     "Newton iterations of a step; only with integrator = \"newmark\"."},
    {"dynamics.contact", kChoice, "-", "implicit, explicit",
     "implicit; explicit where another key needs it",
     "Whether contact forces are those of the step's end, found for all bodies together, or those "
     "of its start."},
    {"dynamics.contact_capacity", kInteger, "1", "16 to 1e6", "16384",
     "Largest number of contacts in an implicit step; about 1 kB of memory each."},
    {"dynamics.pair_capacity", kInteger, "1", "1 to 20000", "all pairs",
     "Largest number of pairs of bodies with the same models and settings that are close at a "
     "time; more are a fault."},
    {"dynamics.acceleration_limit", kNumber, "m kg^1/2 / s^2", "> 0", "no limit",
     "Largest norm of the reduced acceleration of a body; only with integrator = \"newmark\"."},
    {"dynamics.material_ramp_s", kNumber, "s", "0 to 60", "0.2",
     "Duration of a change by haptic set."},
    {"dynamics.sleep_speed", kNumber, "m/s", "0 to 0.1", "0",
     "Speed below which bodies sleep after sleep_s; 0: none do. Only with implicit contact."},
    {"dynamics.sleep_s", kNumber, "s", "0.05 to 60", "0.5",
     "Time below sleep_speed after which bodies sleep; only with sleep_speed."},
    {"dynamics.displacement_limit", kNumber, "m", "> 0", "ten times the body's diameter",
     "Root-mean-square displacement of a body beyond which its step is a fault."},
};

}  // namespace

std::span<const DocumentKey> solids_keys() {
  return kSolidsKeys;
}

}  // namespace haptic::solids
