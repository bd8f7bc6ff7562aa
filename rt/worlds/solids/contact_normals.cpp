#include "rt/worlds/solids/contact_normals.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <variant>

#include "rt/geometry/field_resolution.h"
#include "rt/geometry/normal_variation.h"
#include "shared/error.h"

namespace haptic::solids {
namespace {

/// Largest voxel of a field whose gradient is used, as a multiple of the mean spacing of the
/// points.
constexpr double kMaxVoxel = 2.0;
/// Largest part of a field's greatest depth for which its gradient is used.
constexpr double kMaxPart = 0.25;
/// Part of a body's surface that is taken to touch, for its stiffness on a foundation.
constexpr double kPatch = 0.05;
/// Of the variation of a tool's directions to that of points: 0.1 to 2.3 for scanned meshes, about
/// 5 for a block on a smooth body.
constexpr double kMuchRougher = 2.0;

/// Mean distance of a body's points [m]; 0: its surface is not known.
double spacing_of(const BodyModel& points) {
  if (!points.file || !points.file->has("/surface/triangles")) return 0.0;
  return mean_spacing(points.file->doubles("/surface/vertices"),
                      points.file->indices("/surface/triangles"), points.shell->size());
}

/// Whether the gradient of a field is a better direction of the force than the points' own normals:
/// a field by formula, or one whose voxels are no more than twice as wide as the points are apart,
/// without thin walls. @param thick  walls from here on are not thin, ContactSet::Pair::thick_wall
bool is_smoother(const BodyModel& field, const BodyModel& points, double thick) {
  const double spacing = spacing_of(points), thinnest = std::min(spacing, thick);
  if (spacing == 0.0) return !field.file;
  if (2.0 * field.field->inner_depth() < thinnest) return false;
  if (!field.file) return true;
  if (field.field->edge() > kMaxVoxel * spacing) return false;
  if (!field.file->has("/surface/triangles")) return true;
  return thin_fraction(*field.field, field.file->doubles("/surface/vertices"),
                       field.file->indices("/surface/triangles"), thinnest) <= kMaxThinFraction;
}

/// Whether the force that reaches the hand presses points into a field by a small part of its
/// depth. Pressed in further, they would pass round a thin or small body along its gradient.
bool is_shallow(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                const BodyModel& field) {
  const ContactSettings& settings = contact.settings;
  const bool scaled = contact.scaling.value_or(settings.scaling) != ContactScaling::kNone;
  const double stiffness =
      whole_stiffness(settings, points)
          .value_or(settings.stiffness * (scaled ? settings.scaling_count : 1.0));
  return scene.limits.force < kMaxPart * field.field->inner_depth() * stiffness;
}

/// Whether a body may have edges. At those of a tool, the gradient of its field jumps, and with it
/// the force of the points that it presses.
bool has_edges(const SceneBody& body) {
  const auto* const shape = std::get_if<AnalyticShape>(&body.model);
  return shape == nullptr || shape->kind == ShapeKind::kBox;
}

/// Whether the directions of a field vary along its surface much more than the normals of points
/// from one to the next. Over a surface that is as smooth as its points say, an edge would catch on
/// the next point, which meets the tool's front face.
bool is_rougher(const BodyModel& field, const BodyModel& points) {
  const ShellVariation shell = normal_variation(*points.shell);
  if (!(shell.spacing > 0.0)) return false;
  return normal_variation(*field.field, shell.spacing) > kMuchRougher * shell.angle;
}

}  // namespace

bool has_free(const Scene& scene, const SceneContact& contact) {
  const auto free = [&](std::size_t body) { return scene.bodies[body].role == BodyRole::kFree; };
  return free(contact.points) || free(contact.field);
}

std::optional<double> whole_stiffness(const ContactSettings& settings, const BodyModel& points) {
  if (settings.wall > 0.0) return settings.wall;
  if (!settings.foundation) return std::nullopt;
  const std::span<const float> areas = points.file->floats("/shell/areas");
  return kPatch * settings.stiffness * std::reduce(areas.begin(), areas.end(), 0.0);
}

double thick_wall(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                  const BodyModel& field) {
  const bool bends = points.dimension() > 0 || field.dimension() > 0;
  if (bends || has_free(scene, contact)) return std::numeric_limits<double>::infinity();
  const double stiffness =
      whole_stiffness(contact.settings, points).value_or(contact.settings.stiffness);
  return 2.0 * scene.limits.force / (kMaxPart * stiffness);
}

ContactNormals normals_of(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                          const BodyModel& field, bool implicit) {
  if (contact.normals == ContactNormals::kField && !implicit) {
    throw InputError(scene.file.string(), "contact.normals",
                     "found \"field\" with contact forces of the start of a step",
                     "\"shell\", or dynamics.contact = \"implicit\"");
  }
  if (contact.normals) return *contact.normals;
  if (!implicit) return ContactNormals::kShell;
  if (has_free(scene, contact) && field.dimension() == 0) return ContactNormals::kField;
  if (contact.field == scene.held_body() && has_edges(scene.bodies[contact.field]) &&
      is_rougher(field, points)) {
    return ContactNormals::kShell;
  }
  const bool shallow = is_shallow(scene, contact, points, field);
  // The depths of a wall are those along the field.
  if (contact.settings.wall > 0.0 && field.dimension() == 0 && shallow) {
    return ContactNormals::kField;
  }
  const bool smooth = is_smoother(field, points, thick_wall(scene, contact, points, field));
  return smooth && shallow ? ContactNormals::kField : ContactNormals::kShell;
}

}  // namespace haptic::solids
