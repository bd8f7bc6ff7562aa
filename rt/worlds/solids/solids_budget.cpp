#include "rt/worlds/solids/solids_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "rt/bodies/body_model.h"
#include "rt/worlds/solids/contact_calibration.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic::solids {

namespace {

/// Finest level such that its nodes and those of all coarser levels fit; 0 if the first does not.
std::uint32_t levels_within(const PointTree& tree, double nodes) {
  std::uint32_t level = 0;
  while (level < tree.level_count() && tree.level_begin(level + 1) <= nodes) ++level;
  return level;
}

}  // namespace

std::vector<BudgetLine> measure_solids_budget(const Scene& scene, double left_us,
                                              const Clock& clock) {
  const std::vector<SceneContact>& contacts = solids_settings(scene).contacts;
  std::vector<BudgetLine> lines;
  for (const SceneContact& contact : contacts) {
    const SceneBody& of_points = scene.bodies[contact.points];
    const SceneBody& of_field = scene.bodies[contact.field];
    const BodyModel points(of_points.model, of_points.dimension);
    const BodyModel field(of_field.model, of_field.dimension);
    // The budget in the scene, else an equal part of the time left.
    const double share_us = left_us / static_cast<double>(contacts.size());
    NodeBudget budget(contact.budget_us.value_or(std::max(share_us, 1.0)));
    calibrate(budget, points, field, contact.settings, clock);
    const std::uint32_t nodes = budget.warm_nodes();
    lines.push_back(
        {of_points.name + " on " + of_field.name,
         fmt::format("{:.0f} ns per node, {:.0f} ns more per contact; {:.0f} us are enough for {} "
                     "nodes: all of "
                     "levels 1 to {} of {}, and what culling leaves of finer ones",
                     1e3 * budget.node_us(), 1e3 * budget.node_us() * budget.contact_nodes(),
                     budget.budget_us(), nodes, levels_within(*points.tree, nodes),
                     points.tree->level_count())});
  }
  return lines;
}

}  // namespace haptic::solids
