#include "bench/contact_scenes/measured_case.h"

#include <fmt/format.h>

#include "rt/contact/distance_field.h"
#include "rt/worlds/body_model.h"

namespace haptic {

MeasuredCase measure(const ContactCase& which, const std::filesystem::path& folder,
                     std::uint64_t cycles, std::uint32_t node_budget) {
  MeasuredCase result;
  result.which = which;
  Scene scene = load_scene(folder / fmt::format("scene_{}.toml", which.name));
  SceneContact& contact = scene.contacts.at(0);
  std::vector<RecordedState> states;
  for (const bool degrading : {false, true}) {
    for (const bool coherent : {false, true}) {
      TraversalSettings& traversal = contact.settings.traversal;
      traversal.temporal_coherence = coherent;
      traversal.degradation.warm_nodes = degrading ? node_budget : 0;
      const bool first = !degrading && !coherent;
      result.variants.push_back({coherent, degrading ? node_budget : 0,
                                 run_script(scene, cycles, first ? &states : nullptr)});
    }
  }
  contact.settings.traversal = {};

  const BodyModel points(scene.bodies[contact.points].model),
      field(scene.bodies[contact.field].model);
  result.points = points.shell->size();
  result.levels = points.tree->level_count();
  result.dimension = points.dimension();
  result.field_dimension = field.dimension();
  if (const auto* grid = dynamic_cast<const DistanceField*>(field.field.get())) {
    result.field_resolution = grid->resolution();
  }
  result.comparison = compare(scene, states);
  return result;
}

}  // namespace haptic
