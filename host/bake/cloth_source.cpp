#include "host/bake/cloth_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "host/files/mesh_kind.h"
#include "host/formats/mesh_file.h"
#include "host/formats/obj_in_order.h"
#include "host/mesh/placement.h"
#include "shared/error.h"

namespace haptic {
namespace {

ObjSurface read_surface(const std::filesystem::path& path) {
  if (lower_case_extension(path) == ".obj") return read_obj_surface(path);
  return {read_mesh(path), {}};
}

/// Cloth whose halves only touch would fall apart.
void check_places(const ClothMesh& mesh, const std::string& file) {
  std::vector<std::uint32_t> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto &p = mesh.vertices[a], &q = mesh.vertices[b];
    return p != q ? p < q : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (mesh.vertices[order[i]] != mesh.vertices[order[i - 1]]) continue;
    throw InputError(file, fmt::format("vertex {}", order[i]),
                     fmt::format("at the place of vertex {}", order[i - 1]),
                     "one vertex at a place: join the faces there");
  }
}

ClothMesh read_cloth_file(const Recipe& recipe) {
  const std::string file = recipe.mesh.string();
  ObjSurface surface = read_surface(recipe.mesh);
  if (surface.mesh.vertices.size() > kMaxClothParticles) {
    throw InputError(file, "", fmt::format("{} vertices", surface.mesh.vertices.size()),
                     fmt::format("at most {} particles", kMaxClothParticles));
  }
  ClothMesh mesh;
  mesh.triangles = std::move(surface.mesh.triangles);
  mesh.quads = std::move(surface.quads);
  const BoundingBox box = bounding_box(surface.mesh);
  if (!(box.longest_side() > 0.0)) {
    throw InputError(file, "", "all vertices at one position", "an extent");
  }
  Placement place{recipe.frame.scale(box), recipe.frame.rotation};
  place.shift = -place(recipe.frame.point);  // zero but for a point of the file
  for (const Vector3& v : surface.mesh.vertices) {
    const Vector3 p = place(v);
    mesh.vertices.push_back({p.x(), p.y(), p.z()});
  }
  check_places(mesh, file);
  check_cloth_mesh(mesh, file);
  return mesh;
}

}  // namespace

ClothMesh load_cloth_mesh(const Recipe& recipe) {
  if (!recipe.grid) return read_cloth_file(recipe);
  ClothMesh grid = make_grid(recipe.grid->particles, recipe.grid->size[0], recipe.grid->size[1]);
  for (auto& vertex : grid.vertices) {
    for (std::size_t c = 0; c < 3; ++c) vertex[c] -= recipe.frame.point[static_cast<int>(c)];
  }
  return grid;
}

TriangleMesh triangles_of(const ClothMesh& mesh) {
  TriangleMesh surface;
  surface.triangles = mesh.triangles;
  for (const auto& p : mesh.vertices) surface.vertices.emplace_back(p[0], p[1], p[2]);
  return surface;
}

std::vector<double> particle_areas(const ClothMesh& mesh) {
  std::vector<double> areas(mesh.vertices.size(), 0.0);
  const auto vertex = [&](std::uint32_t i) { return Vector3(mesh.vertices[i].data()); };
  for (const auto& [i, j, k] : mesh.triangles) {
    const double third = (vertex(j) - vertex(i)).cross(vertex(k) - vertex(i)).norm() / 6.0;
    for (const std::uint32_t corner : {i, j, k}) areas[corner] += third;
  }
  return areas;
}

}  // namespace haptic
