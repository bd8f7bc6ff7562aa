#include "host/bake/source_surface.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/bake/file_digest.h"
#include "host/bake/volume_file.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/component_union.h"
#include "host/mesh/mesh_report.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// At most so many lines about holes or components.
constexpr std::size_t kMaxLines = 20;

void note_list(const std::vector<std::string>& lines, StageProgress& progress) {
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) progress.note(lines[i]);
  if (lines.size() > kMaxLines) {
    progress.note(fmt::format("and {} more", lines.size() - kMaxLines));
  }
}

std::string name_of(const HoleReport& hole, double side) {
  return fmt::format("{:.3g} % at ({:.4g}, {:.4g}, {:.4g})", 100.0 * hole.size / side,
                     hole.centre.x(), hole.centre.y(), hole.centre.z());
}

/// @param box of the file's coordinates
void note_report(const MeshReport& report, const BoundingBox& box, StageProgress& progress) {
  progress.note(report.summary());
  std::vector<std::string> lines;
  for (const ComponentReport& part : report.parts) {
    lines.push_back(fmt::format("component {}: {}", lines.size() + 1, part.summary()));
  }
  note_list(lines, progress);
  lines.clear();
  for (const HoleReport& hole : report.closed_holes) {
    lines.push_back("hole closed: " + name_of(hole, box.longest_side()) +
                    ", of the longest side, in coordinates of the file");
  }
  note_list(lines, progress);
}

void demand_closed(const Recipe& recipe, const MeshReport& report, const BoundingBox& box) {
  if (report.closed || recipe.repair.open || (recipe.shell && recipe.shell->offset)) return;
  constexpr std::size_t kMaxHoles = 3;
  std::string holes;
  for (std::size_t i = 0; i < std::min(report.open_holes.size(), kMaxHoles); ++i) {
    holes += (i > 0 ? ", " : "") + name_of(report.open_holes[i], box.longest_side());
  }
  if (report.open_holes.size() > kMaxHoles) holes += ", ...";
  std::string remedy = "a closed surface; source.open = true takes the surface around an open one";
  if (const auto closing = closing_all_holes(report, box.longest_side())) {
    remedy += fmt::format(", source.close_holes = {:.2g} closes its holes", *closing);
  }
  throw InputError(
      recipe.mesh.string(), "",
      holes.empty()
          ? fmt::format("found an open surface ({} edges of one triangle)", report.boundary_edges)
          : fmt::format("found an open surface with holes of {} of its longest side", holes),
      remedy);
}

/// The cleaned surface in coordinates of the file, and its volume mesh.
SourceSurface read_files(const Recipe& recipe, StageProgress& progress) {
  SourceSurface source;
  if (!recipe.volume.empty()) {
    VolumeFile file = read_volume_file(recipe.volume);
    source.volume = std::move(file.body);
    source.materials = std::move(file.materials);
    if (const std::size_t repeated = source.volume->tetrahedra.repeated; repeated > 0) {
      progress.note(fmt::format("{} elements that are listed again counted once", repeated));
    }
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
    source.report = clean_mesh(surface.mesh, {.joining = joining_tolerance(surface),
                                              .close_holes = recipe.repair.close_holes,
                                              .keep_largest = recipe.repair.keep_largest,
                                              .keep = recipe.repair.keep});
    source.mesh = std::move(surface.mesh);
  }
  if (source.mesh.triangles.empty() || !(source.report.area > 0.0)) {
    throw InputError(file.string(), "", "found no triangle with an area", "a triangle surface");
  }
  return source;
}

/// A surface whose components overlap becomes that of their union.
void unite_components(SourceSurface& source, StageProgress& progress) {
  constexpr double kCells = 256.0;  // along the longest side
  if (!source.report.closed_manifold()) return;
  const SurfaceCrossings crossings = find_crossings(source.mesh);
  const auto place = [&] {
    return fmt::format("({:.4g}, {:.4g}, {:.4g})", crossings.place.x(), crossings.place.y(),
                       crossings.place.z());
  };
  if (crossings.between > 0) {
    const double spacing = bounding_box(source.mesh).longest_side() / kCells;
    source.mesh = united_components(source.mesh, spacing);
    const MeshReport united = inspect_mesh(source.mesh);
    progress.note(fmt::format(
        "components overlap, e.g. at {}: the surface is that of their union on a grid of {:.3g} "
        "of its unit, {}",
        place(), spacing, united.summary()));
    source.report = united;
  } else if (crossings.within > 0) {
    progress.note(fmt::format(
        "the surface passes through itself ({} pairs of triangles, e.g. at {}): what it encloses "
        "twice counts twice",
        crossings.within, place()));
  }
}

/// Mass properties of a body's elements at density 1 kg/m^3.
RigidProperties properties_of(const SolidBody& body) {
  return body.kind == ElementKind::kTetrahedron ? rigid_properties(body.tetrahedra, 1.0)
                                                : rigid_properties(body.voxels, 1.0);
}

/// A rotation that the volume mesh can follow.
void demand_turnable(const Recipe& recipe, const SourceSurface& source) {
  if (recipe.frame.rotation == Matrix3::Identity() || !source.volume) return;
  const auto refuse = [&](std::string_view found) {
    throw InputError(recipe.volume.string(), "source.rotate", found,
                     "no source.rotate or source.up with such a mesh: turn it in its file");
  };
  if (source.volume->kind != ElementKind::kTetrahedron) refuse("found cubes");
  if (!source.materials) return;
  for (const FileMaterial& material : source.materials->materials) {
    if (!material.isotropic)
      refuse(fmt::format("found an anisotropic material ({})", material.name));
  }
}

SourceSurface read_source(const Recipe& recipe, StageProgress& progress) {
  SourceSurface source = read_files(recipe, progress);
  const BoundingBox box = bounding_box(source.mesh);
  note_report(source.report, box, progress);
  if (!recipe.mesh.empty()) {
    demand_closed(recipe, source.report, box);
    unite_components(source, progress);
  }
  demand_turnable(recipe, source);

  Placement& placement = source.placement;
  placement = {recipe.frame.scale(box), recipe.frame.rotation};
  source.mesh = placed(std::move(source.mesh), placement);
  if (source.volume) source.volume = placed(std::move(*source.volume), placement);
  const bool closed = source.report.closed_manifold();
  if (closed) {
    source.unit_rigid = rigid_properties(source.mesh, 1.0);
  } else if (recipe.mesh.empty()) {
    source.unit_rigid = properties_of(*source.volume);
    progress.note("not a closed manifold: mass taken from the elements");
  } else {
    source.unit_rigid = rigid_properties(voxelize(source.mesh, recipe.voxels), 1.0);
    progress.note(fmt::format("not a closed manifold: mass taken from voxels of resolution {}",
                              recipe.voxels.resolution));
  }
  switch (recipe.frame.origin) {
    case SourceOrigin::kFile:
      break;
    case SourceOrigin::kCentre:
      placement.shift = -bounding_box(source.mesh).centre();
      break;
    case SourceOrigin::kMass:
      placement.shift = -source.unit_rigid.centre;
      break;
    case SourceOrigin::kPoint:
      placement.shift = -placement(recipe.frame.point);
      break;
  }
  source.mesh = translated(std::move(source.mesh), placement.shift);
  if (source.volume) source.volume = placed(std::move(*source.volume), {.shift = placement.shift});
  source.unit_rigid.centre += placement.shift;
  return source;
}

}  // namespace

StageResult<SourceSurface> load_source(const Recipe& recipe, const Stages& stages) {
  StageKey key("mesh");
  if (stages.ranks().first()) {
    for (const std::filesystem::path& file : volume_file_parts(recipe.volume)) {
      key.add(digest_of_file(file));
    }
    key.add(digest_of_file(recipe.mesh), recipe.frame, recipe.repair,
            recipe.shell && recipe.shell->offset, recipe.mesh.extension().string(),
            recipe.volume.extension().string(), recipe.voxels.resolution, recipe.voxels.fill);
  }
  return stages.run<SourceSurface>(
      "mesh", key, Stages::RunOn::kFirst, Stages::ResultOn::kAll,
      [&](const Stages::Fraction&) { return read_source(recipe, stages.progress()); });
}

}  // namespace haptic
