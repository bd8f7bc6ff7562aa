#include "shared/state/physical_warnings.h"

#include <fmt/format.h>

namespace haptic {
namespace {

// A collision or a stroke of the hand passes a limit for some milliseconds, which no hand can tell
// from the contact itself; from about 50 ms on a limit is what is felt.
constexpr double kFelt_s = 0.05;
// Points that enter are without a row for a step or two.
constexpr double kEntering_s = 0.02;

}  // namespace

constinit const std::array<PhysicalWarning, kPhysicalWarningCount> kPhysicalWarnings = {{
    // A tenth is what a finger can just tell.
    {.name = "coupling_saturated",
     .block = "coupling/excess",
     .limit = 0.1,
     .sustained_s = kFelt_s,
     .unit = "more",
     .what = "the coupling saturates: the hand feels more than the bodies get",
     .cure =
         "type a larger coupling.permitted_depth, or none with implicit contact, or press less"},
    {.name = "force_limited",
     .source = WarningSource::kForceLimit,
     .sustained_s = kFelt_s,
     .what = "a limit cuts the wrench on the hand: contact feels softer than it is",
     .cure = "raise limits.force, limits.torque or limits.power if the device allows it, or lower "
             "coupling.stiffness"},
    {.name = "speed_limited",
     .block = "coupling/speed",
     .limit = 0.999,
     .sustained_s = kFelt_s,
     .what = "the held body moves at its largest speed and lags behind the hand, which feels the "
             "lag as a force",
     .cure = "raise coupling.max_speed or coupling.max_angular_speed"},
    // Rounding creates some 1e-9 of the work of contacts; a bounce that is 1 % too high can be
    // seen. Less than a microjoule of work is not felt.
    {.name = "energy_created",
     .block = "contact/created_energy",
     .over = "contact/work",
     .smallest_over = 1e-6,
     .limit = 0.01,
     .sustained_s = kFelt_s,
     .unit = "of their work",
     .what = "contacts create energy: bodies may shake or drift by themselves",
     .cure = "raise rate_hz or dynamics.contact_capacity, add contact.damping or friction, lower "
             "contact.stiffness, or type contact.normals = \"field\", with which the edges of a "
             "tool can catch on the points of a smooth body"},
    {.name = "contacts_without_row",
     .block = "contact/without_row",
     .sustained_s = kEntering_s,
     .unit = "points",
     .what = "more points are in contact than the step has room for; they share the rows of others",
     .cure = "raise dynamics.contact_capacity, or bake fewer points"},
    {.name = "contacts_left_out",
     .block = "contact/left_out",
     .sustained_s = kEntering_s,
     .unit = "contacts",
     .what = "contacts beyond the capacity are left out: bodies pass through each other there",
     .cure = "raise contact.capacity"},
    // A tool that is flat has more vertices in it than it needs; those that are left out matter
    // where they get in deeper than the surface is drawn.
    {.name = "contacts_dropped",
     .block = "contact/dropped_depth",
     .limit = 1e-4,
     .sustained_s = kEntering_s,
     .unit = "m deep",
     .what = "contacts beyond the capacity are left out: the tool sinks in there",
     .cure = "raise contact.capacity"},
    {.name = "turned_inside_out",
     .block = "deformation/compression",
     .limit = 1.0,
     .unit = "of a length",
     .what = "a deformable body is turned inside out in places: its forces there have no meaning",
     .cure = "press less, or bake a stiffer body"},
    // A bar of St. Venant-Kirchhoff material resists most at 1/sqrt(3) of its length.
    {.name = "beyond_material_range",
     .block = "deformation/compression",
     .limit = 0.423,
     .sustained_s = kEntering_s,
     .unit = "of a length",
     .what = "a deformable body is compressed beyond the range of its material: from 0.42 of a "
             "length on a St. Venant-Kirchhoff body resists less the more it is pressed",
     .cure = "press less, or bake a stiffer body"},
    // What is left of a step's forces is missing in its motion: 5 % can be seen.
    {.name = "not_converged",
     .block = "cloth/residual",
     .limit = 0.05,
     .sustained_s = kFelt_s,
     .unit = "of a step's forces left",
     .what =
         "steps of the cloth are not solved: its motion and stretch are not those of its stiffness",
     .cure = "raise cloth.passes, cloth.iterations or rate_hz, or bake a softer cloth"},
    // The iteration ends far below a micrometre; what is left of 10 um is a force on a stiff body.
    {.name = "contacts_not_converged",
     .block = "contact/residual",
     .limit = 1e-5,
     .sustained_s = kFelt_s,
     .unit = "m",
     .what =
         "contacts of the condensed body are not solved: the tool sinks in, or friction is wrong",
     .cure = "raise rate_hz, or lower contact.friction or coupling.stiffness"},
    // On time a step is shown from one to two periods after its hand was read; with one slot
    // missed, up to three.
    {.name = "world_late",
     .source = WarningSource::kWorldAge,
     .limit = 3.0,
     .sustained_s = kEntering_s,
     .unit = "steps",
     .what = "the world's steps are late: the hand feels contacts of an older pose",
     .cure = "lower rate_hz, or run the simulation on a faster CPU"},
}};

std::string WarningFinding::text() const {
  std::string largest;
  if (warning->source != WarningSource::kForceLimit) {
    largest = fmt::format(", at most {:.3g}{}{}", record.largest, warning->unit.empty() ? "" : " ",
                          warning->unit);
  }
  return fmt::format("{} (for {:.3g} s{}); {}", warning->what, held_s(), largest, warning->cure);
}

std::vector<WarningFinding> find_warnings(std::span<const WarningRecord> records, double rate_hz) {
  std::vector<WarningFinding> findings;
  for (std::size_t i = 0; i < kPhysicalWarnings.size() && i < records.size(); ++i) {
    const WarningRecord& record = records[i];
    const double longest_s = static_cast<double>(record.longest_spell) / rate_hz;
    if (record.cycles == 0 || longest_s < kPhysicalWarnings[i].sustained_s) continue;
    findings.push_back({&kPhysicalWarnings[i], record, rate_hz});
  }
  return findings;
}

}  // namespace haptic
