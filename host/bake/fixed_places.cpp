#include "host/bake/fixed_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/bake/stage_archive.h"
#include "host/fem/held_fraction.h"
#include "host/field/surface_distance.h"
#include "host/formats/vertex_list.h"
#include "shared/error.h"

namespace haptic {
namespace {

bool uses_sketch(const Recipe& recipe) {
  return recipe.reduction && recipe.reduction->basis == BasisSource::kSketch;
}

/// Refuses vertex ids in the recipe if the vertices of the mesh are not numbered as in its file.
void require_ids_of_file(const Recipe& recipe, const SolidBody& solid) {
  const LeftOutVertices& left = solid.tetrahedra.left_out;
  if (!left.renumbers) return;
  // Ids in a basis file or in snapshots are checked against the mesh where they are read.
  const char* key = !recipe.constraints.vertices.empty() ? "constraints.vertices"
                    : !recipe.constraint_file.empty()    ? "constraints.file"
                    : uses_sketch(recipe)                ? "reduction.forces"
                                                         : nullptr;
  if (!key) return;
  throw InputError(
      recipe.file.string(), key,
      fmt::format(
          "found vertex ids, but {} of {} (first: {}) belong to no tetrahedron, so that the "
          "ids of the file are not those of the mesh",
          left.count == 1 ? "a node" : fmt::format("{} nodes", left.count),
          recipe.volume.filename().string(), left.first_tag),
      "a file without such nodes (Gmsh: save a physical volume alone), or planes and boxes");
}

/// Extends boxes that reach the bounds of the body, so that they contain the vertices of cut cells
/// outside its surface.
void extend_boxes(const Vector3& size, std::vector<BoxConstraint>& boxes) {
  for (BoxConstraint& box : boxes) {
    for (int axis = 0; axis < 3; ++axis) {
      if (box.min[axis] <= 0.0) box.min[axis] -= size.maxCoeff();
      if (box.max[axis] >= size[axis]) box.max[axis] += size.maxCoeff();
    }
  }
}

/// Computes the held fraction of each cell, and fixes the vertices outside the regions whose cells
/// have all their material inside them.
void hold_cut_cells(const SolidBody& solid, const Constraints& constraints, const Vector3& lower,
                    FixedPlaces& fixed) {
  const VoxelMesh& grid = solid.voxels;
  const std::size_t cells = solid.cells.parts.size();
  std::vector<std::uint8_t> is_fixed(solid.vertex_count(), 0);
  for (const std::uint32_t v : fixed.vertices) is_fixed[v] = 1;
  const auto all_fixed = [&](std::size_t e) {
    return std::ranges::all_of(grid.elements[e], [&](std::uint32_t v) { return is_fixed[v] != 0; });
  };
  std::vector<std::uint8_t> in_region(solid.vertex_count(), 1);
  fixed.held.assign(cells, 0.0);
  for (std::uint32_t e = 0; e < cells; ++e) {
    const Vector3 centre = grid.lower_corner(e) - lower + Vector3::Constant(0.5 * grid.edge);
    if (depth_in(constraints, centre) >= -grid.edge) {
      fixed.held[e] = held_fraction(solid.cells.parts[e], [&](const Vector3& at) {
        return depth_in(constraints, centre + grid.edge * at) / grid.edge;
      });
    }
    if (fixed.held[e] == kMaxHeldFraction || all_fixed(e)) continue;
    for (const std::uint32_t v : grid.elements[e]) in_region[v] = 0;
  }
  for (std::uint32_t v = 0; v < is_fixed.size(); ++v) {
    if (in_region[v] == 0 || is_fixed[v] != 0) continue;
    is_fixed[v] = 1;
    fixed.vertices.push_back(v);
  }
  std::ranges::sort(fixed.vertices);
  for (std::size_t e = 0; e < cells; ++e) {
    if (all_fixed(e)) fixed.held[e] = 0.0;
  }
  if (std::ranges::all_of(fixed.held, [](double f) { return f == 0.0; })) fixed.held.clear();
}

}  // namespace

FixedPlaces find_fixed(const Recipe& recipe, const SolidBody& solid, const TriangleMesh& surface,
                       const Ranks& ranks) {
  FixedPlaces fixed;
  if (ranks.first()) {
    require_ids_of_file(recipe, solid);
    const BoundingBox box = bounding_box(surface);
    const Vector3& lower = box.lower;
    const bool is_cut = !solid.cells.parts.empty();
    Constraints constraints = recipe.constraints;
    if (is_cut) extend_boxes(box.size(), constraints.boxes);
    if (!constraints.patches.empty()) {
      const SurfaceDistance distance(surface);
      for (SphereConstraint& patch : constraints.patches) {
        patch.centre = distance.nearest(patch.centre + lower).point - lower;
      }
    }
    for (const std::string& name : recipe.constraint_groups) {
      const NamedGroup& group =
          find_group(solid.tetrahedra.groups, name, recipe.file.string(), "constraints.groups");
      constraints.vertices.insert(constraints.vertices.end(), group.vertices.begin(),
                                  group.vertices.end());
    }
    if (!recipe.constraint_file.empty()) {
      const auto held = read_bou(recipe.constraint_file, solid.vertex_count());
      constraints.vertices.insert(constraints.vertices.end(), held.begin(), held.end());
    }
    std::vector<Vector3> vertices;
    for (std::size_t v = 0; v < solid.vertex_count(); ++v) {
      vertices.emplace_back(&solid.vertices[3 * v]);
    }
    fixed.vertices = fixed_vertices(vertices, lower, constraints, recipe.file.string());
    if (is_cut && !fixed.vertices.empty()) hold_cut_cells(solid, constraints, lower, fixed);
  }
  Ranks::Bytes bytes = encode_stage(fixed);
  ranks.broadcast(bytes);
  return decode_stage<FixedPlaces>(bytes);
}

}  // namespace haptic
