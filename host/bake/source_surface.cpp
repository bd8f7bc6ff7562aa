#include "host/bake/source_surface.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/bake/file_digest.h"
#include "host/bake/volume_file.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/mesh_report.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// How far vertices of open edges may lie apart that are one [unit of the file]: by what the file's
/// digits or a CAD program's arithmetic do not distinguish.
double joining_tolerance(const SurfaceFile& surface) {
  constexpr double kArithmetic = 1e-7, kMost = 1e-3;  // of the longest side
  const double side = bounding_box(surface.mesh).longest_side();
  return std::min(std::max(kArithmetic * side, surface.last_digit), kMost * side);
}

SourceSurface read_source(const Recipe& recipe, StageProgress& progress) {
  SourceSurface source;
  if (!recipe.volume.empty()) {
    VolumeFile file = read_volume_file(recipe.volume);
    source.volume = std::move(file.body);
    source.materials = std::move(file.materials);
    if (const LeftOutVertices& left = source.volume->tetrahedra.left_out; left.count > 0) {
      progress.note(
          fmt::format("{} nodes that no tetrahedron uses left out{}", left.count,
                      left.renumbers ? ": vertex ids differ from those of the file" : ""));
    }
  }
  const std::filesystem::path& file = recipe.mesh.empty() ? recipe.volume : recipe.mesh;
  if (recipe.mesh.empty()) {
    source.mesh = boundary_of(*source.volume, file.string());
    source.report = clean_mesh(source.mesh);
  } else {
    SurfaceFile surface = read_surface_file(recipe.mesh);
    source.report = clean_mesh(surface.mesh, joining_tolerance(surface));
    source.mesh = std::move(surface.mesh);
  }
  if (source.mesh.triangles.empty() || !(source.report.area > 0.0)) {
    throw InputError(file.string(), "", "found no triangle with an area", "a triangle surface");
  }
  progress.note(source.report.summary());

  const double side = bounding_box(source.mesh).longest_side();
  const double scale = recipe.length > 0.0 ? recipe.length / side : 1.0;
  Vector3 offset = Vector3::Zero();
  source.mesh = scaled(std::move(source.mesh), scale);
  if (recipe.origin == SourceOrigin::kCentre) {
    offset = -bounding_box(source.mesh).centre();
    source.mesh = translated(std::move(source.mesh), offset);
  }
  const bool closed = source.report.closed_manifold();
  source.unit_rigid = closed ? rigid_properties(source.mesh, 1.0)
                             : rigid_properties(voxelize(source.mesh, recipe.voxels), 1.0);
  if (recipe.origin == SourceOrigin::kMass) {
    offset = -source.unit_rigid.centre;
    source.mesh = translated(std::move(source.mesh), offset);
    source.unit_rigid.centre = Vector3::Zero();
  }
  source.placement = {scale, offset};
  if (source.volume) source.volume = placed(std::move(*source.volume), scale, offset);
  if (!closed) {
    progress.note(fmt::format("not a closed manifold: mass taken from voxels of resolution {}",
                              recipe.voxels.resolution));
  }
  return source;
}

}  // namespace

StageResult<SourceSurface> load_source(const Recipe& recipe, const Stages& stages) {
  StageKey key("mesh");
  if (stages.ranks().first()) {
    for (const std::filesystem::path& file : volume_file_parts(recipe.volume)) {
      key.add(digest_of_file(file));
    }
    key.add(digest_of_file(recipe.mesh), recipe.length, recipe.origin,
            recipe.mesh.extension().string(), recipe.volume.extension().string(),
            recipe.voxels.resolution, recipe.voxels.fill);
  }
  return stages.run<SourceSurface>(
      "mesh", key, Stages::RunOn::kFirst, Stages::ResultOn::kAll,
      [&](const Stages::Fraction&) { return read_source(recipe, stages.progress()); });
}

}  // namespace haptic
