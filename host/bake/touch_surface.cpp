#include "host/bake/touch_surface.h"

#include <fmt/format.h>

#include "shared/error.h"

namespace haptic {
namespace {

using Fraction = StageProgress::Fraction;

/// The field of a surface; the surface itself is replaced by its offset if it crosses itself.
void build_field(const Recipe& recipe, const TriangleMesh& mesh,
                 const ContactSurfaceSettings& settings, TouchSurface& touch,
                 std::optional<SurfaceDistance>& distance, StageProgress& progress) {
  progress.run("field", [&](const Fraction& fraction) {
    try {
      touch.field = build_distance_field(*distance, *recipe.field, fraction);
    } catch (const OperationError& error) {
      if (touch.surface.route == ContactSurfaceRoute::kOffset) throw;
      progress.note(fmt::format("{}; taking the offset route", error.what()));
      ContactSurfaceSettings offset = settings;
      offset.force_offset = true;
      touch.surface = make_contact_surface(mesh, offset);
      progress.note(touch.surface.summary());
      distance.emplace(touch.surface.mesh);
      touch.field = build_distance_field(*distance, *recipe.field, fraction);
    }
  });
}

void build_shell(const Recipe& recipe, const SurfaceDistance& distance, const ElasticBody* elastic,
                 TouchSurface& touch, StageProgress& progress) {
  progress.run("shell", [&](const Fraction&) {
    touch.shell = build_point_shell(distance, *recipe.shell);
    if (elastic) {
      const Embedding embedding(elastic->voxels);
      touch.blocks = build_modal_blocks(elastic->basis, elastic->dimension,
                                        embedding.embed(touch.shell->points), touch.shell->normals);
    }
    progress.note(fmt::format("{} points in {} levels", touch.shell->points.size(),
                              touch.shell->level_end.size()));
  });
  progress.run("tree", [&](const Fraction&) {
    touch.tree = build_point_tree(touch.shell->points, touch.shell->level_end,
                                  touch.blocks.displacement, elastic ? elastic->dimension : 0);
  });
}

}  // namespace

std::optional<TouchSurface> make_touch_surface(const Recipe& recipe, const TriangleMesh& mesh,
                                               const ElasticBody* elastic,
                                               StageProgress& progress) {
  if (!recipe.shell && !recipe.field) return std::nullopt;
  ContactSurfaceSettings settings;
  if (recipe.field) {
    settings.resolution = recipe.field->resolution;
    settings.expansion = recipe.field->expansion;
  }
  TouchSurface touch;
  std::optional<SurfaceDistance> distance;
  progress.run("contact", [&](const Fraction&) {
    touch.surface = make_contact_surface(mesh, settings);
    progress.note(touch.surface.summary());
    distance.emplace(touch.surface.mesh);
  });
  if (recipe.field) build_field(recipe, mesh, settings, touch, distance, progress);
  if (recipe.shell) build_shell(recipe, *distance, elastic, touch, progress);
  return touch;
}

}  // namespace haptic
