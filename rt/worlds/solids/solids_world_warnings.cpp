// Warnings about the geometry of a scene, given when it is loaded.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "rt/bodies/coarse_mesh.h"
#include "rt/geometry/field_resolution.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic::solids {
namespace {

constexpr double kAlmost = 0.99;  // of a limit: rounding

bool has_surface(const BodyModel& model) {
  return model.file && model.file->has("/surface/triangles");
}

/// Of a function of a model: bodies of the same model have the same value.
template <class Key, class Compute>
double once(std::map<Key, double>& known, const Key& key, Compute&& compute) {
  const auto [at, is_new] = known.try_emplace(key, 0.0);
  if (is_new) at->second = compute();
  return at->second;
}

}  // namespace

std::vector<std::string> SolidsWorld::warnings() const {
  // Per body: whether its field is met, and by which body for which the thickest walls are thin.
  struct Meeting {
    bool is_met = false;
    double thin = 0.0;  // walls below this, for points along whose field's normals they push [m]
    std::size_t other = 0;
  };
  std::vector<Meeting> meetings(models_.size());
  std::map<const ModelFile*, double> spacings;
  for (const ContactSet::Pair& pair : pairs()) {
    Meeting& meeting = meetings[pair.field];
    meeting.is_met = true;
    const BodyModel& points = *models_[pair.points];
    if (pair.contact.settings().normals != ContactNormals::kField || !has_surface(points)) continue;
    const ModelFile* const file = points.file.get();
    const double spacing = once(spacings, file, [&] {
      return mean_spacing(file->doubles("/surface/vertices"), file->indices("/surface/triangles"),
                          points.shell->size());
    });
    const double thin = std::min(spacing, pair.thick_wall);
    if (thin > meeting.thin) meeting.other = pair.points;
    meeting.thin = std::max(meeting.thin, thin);
  }
  std::vector<std::string> warnings;
  std::map<const ModelFile*, double> unresolved;
  std::map<std::pair<const ModelFile*, double>, double> thin;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    const BodyModel& model = *models_[i];
    const Meeting& meeting = meetings[i];
    if (!has_surface(model) || !meeting.is_met) continue;
    const ModelFile* const file = model.file.get();
    const auto vertices = file->doubles("/surface/vertices");
    const auto triangles = file->indices("/surface/triangles");
    warn_of_unresolved_parts(
        i,
        once(unresolved, file,
             [&] { return unresolved_fraction(*model.field, vertices, triangles); }),
        warnings);
    if (!(meeting.thin > 0.0)) continue;
    const double fraction = once(thin, {file, meeting.thin}, [&] {
      return thin_fraction(*model.field, vertices, triangles, meeting.thin);
    });
    warn_of_thin_walls(i, meeting.other, meeting.thin, fraction, warnings);
  }
  warn_of_coarse_meshes(warnings);
  if (const double most = held_body_->settings().force.maximum; most < kAlmost * force_limit_) {
    warnings.push_back(fmt::format(
        "coupling: bodies get at most {:.3g} N, the hand feels up to limits.force, "
        "{:.3g} N; type a larger coupling.permitted_depth, or none with implicit contact",
        most, force_limit_));
  }
  return warnings;
}

/// Of the deformable bodies that the held body touches.
void SolidsWorld::warn_of_coarse_meshes(std::vector<std::string>& warnings) const {
  for (const Deformable& deformable : deformables_) {
    const auto meets = [&](const ContactSet::Pair& pair) {
      return std::minmax(pair.points, pair.field) == std::minmax(held_, deformable.body);
    };
    if (deformable.body == held_ || std::ranges::none_of(pairs(), meets)) continue;
    if (const auto line =
            coarse_mesh_warning(infos_[deformable.body].name, *models_[deformable.body]->file,
                                models_[held_]->extent().radius)) {
      warnings.push_back(*line);
    }
  }
}

void SolidsWorld::warn_of_unresolved_parts(std::size_t body, double fraction,
                                           std::vector<std::string>& warnings) const {
  if (fraction <= kMaxUnresolvedFraction) return;
  const BodyModel& model = *models_[body];
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
void SolidsWorld::warn_of_thin_walls(std::size_t body, std::size_t other, double thinnest,
                                     double fraction, std::vector<std::string>& warnings) const {
  if (fraction <= kMaxThinFraction) return;
  warnings.push_back(
      fmt::format("body \"{}\": {:.0f} % of its surface bounds walls thinner than {:.2g} mm, on "
                  "which the points of \"{}\" may get stuck; bake {} with more [shell] points",
                  infos_[body].name, 100.0 * fraction, 1e3 * thinnest, infos_[other].name,
                  models_[other]->file->path().filename().string()));
}

}  // namespace haptic::solids
