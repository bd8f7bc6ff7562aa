#include "rt/worlds/cloth/cloth_keys.h"

namespace haptic::cloth {
namespace {

using enum KeyKind;

constexpr DocumentKey kClothKeys[] = {
    {"cloth", kTable, "-", "", "the defaults", "The cloth, how it is advanced, and the air."},
    {"cloth.body", kText, "-", "", "the only anchored body with a model",
     "Name of the anchored body that is the cloth."},
    {"cloth.integrator", kChoice, "-",
     "implicit-euler, adaptive-imex, imex-euler, bdf2, filtered-forces, neighbours, euler, "
     "midpoint, "
     "rk4, verlet, velocity-verlet, leapfrog",
     "implicit-euler",
     "How the cloth is advanced in time; only implicit-euler touches bodies and tools."},
    {"cloth.substeps", kInteger, "1", "1 to 64", "1", "Steps of the cloth in a step of the world."},
    {"cloth.iterations", kInteger, "1", "1 to 1000", "30",
     "Most iterations of the linear solver in a solution; for implicit-euler, adaptive-imex and "
     "bdf2."},
    {"cloth.passes", kInteger, "1", "1 to 64", "6",
     "Most solutions of a step, each for the contacts that pressed at the end of the last; for "
     "implicit-euler."},
    {"cloth.tolerance", kNumber, "1", "1e-14 to 0.5", "0.01",
     "Relative residual at which the linear solver ends; for implicit-euler, adaptive-imex and "
     "bdf2."},
    {"cloth.step_tolerance", kNumber, "m", "> 0", "fixed step",
     "Largest difference of a step from two halves, which controls the step; for euler, midpoint "
     "and rk4."},
    {"cloth.drag", kNumber, "kg/s", "0 to 1000", "0", "Drag of the air on each particle.",
     "cloth.drag"},
    {"cloth.drag_per_area", kNumber, "N s/m^3", "0 to 1e6", "0",
     "Drag of the air by area of the cloth, whatever its grid; not with drag.",
     "cloth.drag_per_area"},
    {"cloth.wind", kNumbers, "m/s", "3 numbers, each -100 to 100", "[0, 0, 0]",
     "Velocity of the air, world axes.", "cloth.wind_x cloth.wind_y cloth.wind_z"},
    {"cloth.wind_pressure", kNumber, "kg/m^3", "0 to 1000", "0.6",
     "Pressure of the wind over the square of its normal velocity: half the density of air."},
    {"cloth.gust", kNumbers, "m/s", "3 numbers, each -100 to 100", "[0, 0, 0]",
     "Direction and strength of gusts, world axes."},
    {"cloth.gust_coefficient", kNumber, "kg/s", "0 to 1000", "1e-4",
     "Force of gusts on each particle over gust."},
    {"cloth.gust_per_area", kNumber, "N s/m^3", "0 to 1e6", "0",
     "Force of gusts by area of the cloth over gust; not with gust_coefficient."},
    {"cloth.gust_period", kNumber, "s", "0.1 to 100", "3",
     "Time after which gusts repeat backwards."},
    {"cloth.strain_limit", kNumber, "1", "0 to 10", "no limit",
     "Largest strain of the threads, approached by sweeps after each step."},
    {"cloth.strain_least", kNumber, "1", "0 to 1", "0",
     "Least length of a thread over that at rest; only with strain_limit."},
    {"cloth.strain_sweeps", kInteger, "1", "1 to 100", "4",
     "Sweeps over the threads after each step; only with strain_limit."},
    {"cloth.strain_order", kChoice, "-", "springs, most-stretched-first", "springs",
     "Order in which a sweep corrects the threads; only with strain_limit."},
    {"cloth.thickness", kNumber, "m", "above 0, at most 1", "0.002",
     "Thickness of the cloth in contact; with self_contact below the distances at rest."},
    {"cloth.self_contact", kFlag, "-", "", "true", "Whether layers of the cloth are kept apart."},

    {"wind_shadow[]", kTables, "-", "", "none", "A body that keeps the wind off the cloth."},
    {"wind_shadow[].body", kText, "-", "", "required",
     "Name of an anchored body of finite extent; in the lee of the sphere around it is no wind."},

    {"constraint[]", kTables, "-", "", "none",
     "Holds particles, which particles, set, or low and high name."},
    {"constraint[].kind", kChoice, "-", "pin, plane, line, sphere, follow", "pin",
     "Whether particles stay at their place, in a plane, on a line, at their distance from a "
     "centre, or are shaken."},
    {"constraint[].particles", kIntegers, "1", "integers, each 0 to 4294967295",
     "required, or set, or low and high", "Numbers of the particles, from 0."},
    {"constraint[].set", kChoice, "-",
     "corners, bottom, top, left, right, bottom-corners, top-corners, left-corners, right-corners",
     "required, or particles, or low and high",
     "Border of a grid, or its ends; left is low x, bottom low y."},
    {"constraint[].low", kNumbers, "m", "3 numbers, each -1000 to 1000",
     "required, or particles or set",
     "Lower corner of the box whose particles at rest are held, frame of the model."},
    {"constraint[].high", kNumbers, "m", "3 numbers, each -1000 to 1000",
     "required, or particles or set",
     "Upper corner of the box whose particles at rest are held, frame of the model."},
    {"constraint[].normal", kNumbers, "1", "3 numbers, each -1000 to 1000", "required for a plane",
     "Normal of the plane, world axes."},
    {"constraint[].direction", kNumbers, "1", "3 numbers, each -1000 to 1000",
     "required for a line", "Direction of the line, world axes."},
    {"constraint[].centre", kNumbers, "m", "3 numbers, each -1000 to 1000", "required for a sphere",
     "Centre of the sphere, world."},
    {"constraint[].amplitude", kNumbers, "m", "3 numbers, each -10 to 10", "required to follow",
     "Amplitude of the sinusoidal motion that is followed, world axes."},
    {"constraint[].frequency", kNumber, "Hz", "0 to 100", "required to follow",
     "Frequency of the motion that is followed."},

    {"contact", kTable, "-", "", "the defaults",
     "Contact of the cloth with bodies, with a tool and with itself."},
    {"contact.stiffness", kNumber, "N/m", "0 to 1e9", "500",
     "Stiffness of each point that touches; only with integrator = \"implicit-euler\".",
     "contact.stiffness"},
    {"contact.foundation", kNumber, "N/m^3", "above 0, at most 1e13", "none",
     "In place of stiffness: of each area that touches, the same for a cloth of any grid; only "
     "with integrator = \"implicit-euler\"."},
    {"contact.friction", kNumber, "1", "0 to 100", "0.3",
     "Coulomb's coefficient of friction; haptic set changes that with bodies and a tool.",
     "contact.friction"},
    {"contact.capacity", kInteger, "1", "1 to 16384", "2048",
     "Largest number of contacts with a body in a step; those that store most are kept."},

    {"touch", kTable, "-", "", "a tool", "What the hand holds, and how a point touches the cloth."},
    {"touch.hand", kChoice, "-", "tool, point", "tool",
     "Whether the hand holds the held body as a rigid tool, or a point."},
    {"touch.radius", kNumber, "m", "above 0, at most 0.1", "1e-4",
     "Radius of the point; only with hand = \"point\"."},
    {"touch.friction", kNumber, "1", "0 to 100", "0.3",
     "Friction of the point on the cloth; only with hand = \"point\"."},
    {"touch.shading", kChoice, "-", "none, interpolated, sub-proxy", "none",
     "How the force is smoothed across edges of triangles; only with hand = \"point\"."},
    {"touch.grab_button", kInteger, "1", "0 to 31", "none",
     "Bit of the device's button that grabs the cloth; only with hand = \"point\"."},
    {"touch.grab_force", kNumber, "N", "> 0", "none",
     "Force with which pressing grabs the cloth; only with hand = \"point\"."},
    {"touch.grab_s", kNumber, "s", "0.01 to 10", "0.3",
     "Time for which grab_force must press; only with grab_force."},
    {"touch.grab_reach", kNumber, "m", "> 0", "0.02",
     "Distance of the farthest particle that is grabbed; only with grab_button or grab_force."},
    {"touch.slip_force", kNumber, "N", "> 0", "6",
     "Force at which what pressing has grabbed slips out; only with grab_force."},
};

}  // namespace

std::span<const DocumentKey> cloth_keys() {
  return kClothKeys;
}

}  // namespace haptic::cloth
