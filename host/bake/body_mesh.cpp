#include "host/bake/body_mesh.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/bake/fixed_places.h"
#include "host/bake/group_mass.h"
#include "host/cells/cut_cells.h"
#include "host/fem/loose_part.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Fraction = Stages::Fraction;
using RunOn = Stages::RunOn;
using ResultOn = Stages::ResultOn;

/// Whether the surface has an inside that voxels can be cut by.
bool is_cut(const Recipe& recipe, const SourceSurface& source) {
  return recipe.cut_cells && source.report.closed && source.report.inconsistent_edges == 0;
}

/// Settings with a plane of the grid, along each axis, at the first border of a plane or box inside
/// the body: fixed regions come before material groups.
VoxelSettings settings_of(const Recipe& recipe, const SourceSurface& source) {
  VoxelSettings settings = recipe.voxels;
  if (!is_cut(recipe, source)) return settings;
  const BoundingBox box = bounding_box(source.mesh);
  const auto align = [&](int axis, double distance) {
    auto& plane = settings.planes[static_cast<std::size_t>(axis)];
    const double at = box.lower[axis] + distance;
    if (!plane && at >= box.lower[axis] && at <= box.upper[axis]) plane = at;
  };
  const auto align_region = [&](const auto& region) {
    using Region = std::remove_cvref_t<decltype(region)>;
    if constexpr (std::is_same_v<Region, PlaneConstraint>) {
      align(region.axis, region.distance);
    } else if constexpr (std::is_same_v<Region, BoxConstraint>) {
      for (int axis = 0; axis < 3; ++axis) {
        if (region.min[axis] > 0.0) align(axis, region.min[axis]);
        align(axis, region.max[axis]);
      }
    }
  };
  std::ranges::for_each(recipe.constraints.planes, align_region);
  std::ranges::for_each(recipe.constraints.boxes, align_region);
  for (const MaterialGroupRecipe& group : recipe.groups) std::visit(align_region, group.selection);
  return settings;
}

SolidBody make_voxels(const Recipe& recipe, const SourceSurface& source, StageProgress& progress) {
  VoxelMesh voxels = voxelize(source.mesh, settings_of(recipe, source));
  progress.note(voxels.report.summary());
  if (!is_cut(recipe, source)) {
    if (recipe.cut_cells) {
      progress.note("an open surface cuts no voxel: each that it touches counts in full");
    }
    return solid_of_voxels(std::move(voxels));
  }
  CutCells cells = cut_cells(source.mesh, voxels);
  progress.note(fmt::format("{} of {} voxels cut by the surface", cells.cut, cells.parts.size()));
  if (const std::size_t dropped = cells.grid.report.dropped_voxels; dropped > 0) {
    progress.note(
        fmt::format("{} voxels that hold material apart from the others left out", dropped));
  }
  SolidBody solid = solid_of_voxels(std::move(cells.grid));
  solid.cells.parts = std::move(cells.parts);
  return solid;
}

StageResult<SolidBody> make_solid(const Recipe& recipe, const StageResult<SourceSurface>& source,
                                  const Stages& stages) {
  StageKey key("voxels");
  key.add(source.digest, recipe.voxels.resolution, recipe.voxels.fill, recipe.voxels.enlargement,
          recipe.cut_cells, recipe.strains);
  for (const auto& plane : settings_of(recipe, source.value).planes) {
    key.add(plane.has_value(), plane.value_or(0.0));
  }
  return stages.run<SolidBody>("voxels", key, RunOn::kFirst, ResultOn::kAll, [&](const Fraction&) {
    SolidBody solid;
    if (source.value.volume) {
      solid = *source.value.volume;
    } else {
      solid = make_voxels(recipe, source.value, stages.progress());
    }
    if (solid.kind == ElementKind::kHexahedron) solid.cells.sampling = recipe.strains;
    stages.progress().note(
        fmt::format("{} vertices, {} elements", solid.vertex_count(), solid.element_count()));
    return solid;
  });
}

/// Group of each element; empty for one group. Rank 0 reads the lists of ids.
std::vector<std::uint32_t> find_groups(const Recipe& recipe, const SourceSurface& source,
                                       const SolidBody& solid, const Vector3& lower,
                                       const Ranks& ranks) {
  if (recipe.groups.size() == 1) return {};
  if (recipe.groups_of_file) return source.materials->of_element;
  std::vector<std::uint32_t> groups;
  if (ranks.first()) {
    groups = assign_groups(recipe.groups, element_centroids(solid), lower, solid.tetrahedra.groups,
                           recipe.file.string());
  }
  Ranks::Bytes bytes = encode_stage(groups);
  ranks.broadcast(bytes);
  return decode_stage<std::vector<std::uint32_t>>(bytes);
}

}  // namespace

BodyMesh make_body_mesh(const Recipe& recipe, const StageResult<SourceSurface>& source,
                        const Stages& stages) {
  BodyMesh body;
  auto solid = make_solid(recipe, source, stages);
  body.solid = std::move(solid.value);
  body.solid_digest = solid.digest;
  const Vector3 lower = bounding_box(source.value.mesh).lower;
  FixedPlaces fixed = find_fixed(recipe, body.solid, source.value.mesh, stages.ranks());
  body.fixed = std::move(fixed.vertices);
  body.solid.cells.held = std::move(fixed.held);
  body.groups = find_groups(recipe, source.value, body.solid, lower, stages.ranks());
  return body;
}

StageKey rest_body_key(std::string_view stage, const Recipe& recipe, const BodyMesh& body,
                       MassKind mass) {
  StageKey key(stage);
  key.add(body.solid_digest, body.fixed, body.solid.cells.held, body.groups, recipe.free(), mass);
  for (const MaterialGroupRecipe& group : recipe.groups) {
    const ElasticityMatrix C = group.material.elasticity();
    key.add(group.material.is_isotropic(), C, group.material.density());
  }
  return key;
}

void require_held(const Recipe& recipe, const StvkModel& model) {
  const int motions = model.free_rigid_motions();
  if (motions > 0 && !recipe.free()) {
    throw InputError(recipe.file.string(), "constraints",
                     fmt::format("found {} free rigid motions", motions),
                     "at least three fixed vertices that are not collinear");
  }
  const auto loose = find_loose_part(model.mesh(), model.fixed_vertices());
  if (!loose) return;
  const std::string part =
      fmt::format("{} of {} elements", loose->element_count, model.mesh().element_count());
  const bool free = recipe.free();
  std::string found, expected;
  switch (loose->why) {
    case LoosePart::Why::kNotHeld:
      found =
          fmt::format("found in a piece that shares no vertex with the others{} ({}, {} pieces)",
                      free ? "" : " and is not constrained", part, loose->pieces);
      expected = free ? "a body in one piece" : "one piece, or [constraints] on every piece";
      break;
    case LoosePart::Why::kTurns:
      found =
          fmt::format("found in a piece that can still turn ({}, {} pieces)", part, loose->pieces);
      expected = "in every piece three fixed vertices that are not collinear";
      break;
    case LoosePart::Why::kHinged:
      found = fmt::format(
          "found in a part that shares only vertices or edges with the rest and can "
          "turn about them ({})",
          part);
      expected = "elements joined by whole faces";
      break;
  }
  const std::filesystem::path& file = recipe.volume.empty() ? recipe.mesh : recipe.volume;
  throw InputError(file.string(), fmt::format("element {}", loose->element), found, expected);
}

StvkModel make_unreduced_body(const Recipe& given, const StageResult<SourceSurface>& source,
                              const Stages& stages) {
  const FileMaterials* file = source.value.materials ? &*source.value.materials : nullptr;
  const Recipe recipe = with_materials_of_file(given, file, stages.ranks());
  const BodyMesh body = make_body_mesh(recipe, source, stages);
  StvkModel model(solid_mesh_of(recipe, body.solid, body.groups), body.fixed,
                  {.mass = recipe.mass});
  require_held(recipe, model);
  return model;
}

}  // namespace haptic
