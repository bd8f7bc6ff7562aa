// Warnings about the geometry of a scene, given when it is loaded.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "rt/geometry/field_resolution.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic {
namespace {

bool has_surface(const BodyModel& model) {
  return model.file && model.file->has("/surface/triangles");
}

}  // namespace

std::vector<std::string> SolidsWorld::warnings() const {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    if (!has_surface(*models_[i])) continue;
    warn_of_unresolved_parts(i, warnings);
    warn_of_thin_walls(i, warnings);
  }
  return warnings;
}

void SolidsWorld::warn_of_unresolved_parts(std::size_t body,
                                           std::vector<std::string>& warnings) const {
  const BodyModel& model = *models_[body];
  const auto meets_it = [&](const ContactSet::Pair& pair) { return pair.field == body; };
  if (std::ranges::none_of(pairs(), meets_it)) return;
  const double fraction =
      unresolved_fraction(*model.field, model.file->doubles("/surface/vertices"),
                          model.file->indices("/surface/triangles"));
  if (fraction <= kLargestUnresolvedFraction) return;
  warnings.push_back(
      fmt::format("body \"{}\": {:.0f} % of its surface bounds parts thinner than the voxel of its "
                  "field, {:.2g} mm, which other bodies pass through; bake {} with a larger "
                  "[field] resolution or with offset = true",
                  infos_[body].name, 100.0 * fraction, 1e3 * model.field->edge(),
                  model.file->path().filename().string()));
}

/// The gradient of a field changes its direction in the middle of a wall. Where the points of a
/// body are further apart than the wall is thick, some may be pushed out on the other side, so that
/// the body gets stuck on the wall.
void SolidsWorld::warn_of_thin_walls(std::size_t body, std::vector<std::string>& warnings) const {
  const BodyModel& model = *models_[body];
  double spacing = 0.0;
  std::size_t other = 0;
  for (const ContactSet::Pair& pair : pairs()) {
    if (pair.field != body || pair.contact.settings().normals != ContactNormals::kField ||
        !has_surface(*models_[pair.points])) {
      continue;
    }
    const ModelFile& file = *models_[pair.points]->file;
    const double of_pair =
        mean_spacing(file.doubles("/surface/vertices"), file.indices("/surface/triangles"),
                     models_[pair.points]->shell->size());
    if (of_pair > spacing) other = pair.points;
    spacing = std::max(spacing, of_pair);
  }
  if (!(spacing > 0.0)) return;
  const double fraction = thin_fraction(*model.field, model.file->doubles("/surface/vertices"),
                                        model.file->indices("/surface/triangles"), spacing);
  if (fraction <= kLargestThinFraction) return;
  warnings.push_back(fmt::format(
      "body \"{}\": {:.0f} % of its surface bounds walls thinner than the distance of the points "
      "of \"{}\", {:.2g} mm, which may get stuck on them; bake {} with more [shell] points",
      infos_[body].name, 100.0 * fraction, infos_[other].name, 1e3 * spacing,
      models_[other]->file->path().filename().string()));
}

}  // namespace haptic
