#include "bench/contact_scenes/measured_case.h"

#include <fmt/format.h>

#include "host/files/replace_file.h"
#include "rt/bodies/body_model.h"
#include "rt/device/hand_script.h"
#include "rt/geometry/distance_field.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic {
namespace {

/// A hand script shorter than the run is slowed down to its length.
void stretch_hand(Scene& scene, std::uint64_t cycles, const std::filesystem::path& file) {
  const HandScript script = HandScript::load(scene.device.script);
  const double wanted = static_cast<double>(cycles) / scene.rate_hz;
  if (script.end_time() >= wanted) return;
  std::string text = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n";
  for (const HandSample& row : script.rows()) {
    const Vector3& p = row.pose.position;
    const Quaternion& q = row.pose.orientation;
    text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n",
                        row.time * wanted / script.end_time(), p.x(), p.y(), p.z(), q.w(), q.x(),
                        q.y(), q.z());
  }
  replace_file(file, {text});
  scene.device.script = file;
}

}  // namespace

MeasuredCase measure(const ContactCase& which, const std::filesystem::path& folder,
                     std::uint64_t cycles, std::uint32_t node_budget) {
  MeasuredCase result;
  result.which = which;
  Scene scene = load_scene(folder / which.scene);
  stretch_hand(scene, cycles, folder / fmt::format("stretched_{}.csv", which.name));
  std::vector<RecordedState> states;
  for (const bool degrading : {false, true}) {
    for (const bool coherent : {false, true}) {
      TraversalSettings& traversal = solids::edit_solids(scene).contacts.at(0).settings.traversal;
      traversal.temporal_coherence = coherent;
      traversal.degradation.warm_nodes = degrading ? node_budget : 0;
      const bool first = !degrading && !coherent;
      result.variants.push_back({coherent, degrading ? node_budget : 0,
                                 run_script(scene, cycles, first ? &states : nullptr)});
    }
  }
  solids::SceneContact& contact = solids::edit_solids(scene).contacts.at(0);
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
