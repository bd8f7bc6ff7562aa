#include "lab/samples/field_shapes.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "host/formats/mesh_file.h"
#include "host/mesh/mesh_report.h"
#include "shared/assert.h"

namespace haptic {

TriangleMesh box_mesh(const Vector3& lower, const Vector3& upper) {
  TriangleMesh mesh;
  for (int corner = 0; corner < 8; ++corner) {
    mesh.vertices.emplace_back((corner & 1) != 0 ? upper.x() : lower.x(),
                               (corner & 2) != 0 ? upper.y() : lower.y(),
                               (corner & 4) != 0 ? upper.z() : lower.z());
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TriangleMesh sphere_mesh(double radius, int subdivisions) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int pass = 0; pass < subdivisions; ++pass) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [entry, fresh] = middles.try_emplace(
          {std::min(a, b), std::max(a, b)}, static_cast<std::uint32_t>(mesh.vertices.size()));
      if (fresh) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      return entry->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& t : mesh.triangles) {
      const std::uint32_t ab = middle(t[0], t[1]);
      const std::uint32_t bc = middle(t[1], t[2]);
      const std::uint32_t ca = middle(t[2], t[0]);
      finer.insert(finer.end(), {{t[0], ab, ca}, {ab, t[1], bc}, {ca, bc, t[2]}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  return scaled(std::move(mesh), radius);
}

void weld(TriangleMesh& mesh) {
  std::map<std::array<double, 3>, std::uint32_t> index;
  std::vector<Vector3> vertices;
  std::vector<std::uint32_t> renamed;
  for (const Vector3& v : mesh.vertices) {
    const auto [entry, fresh] =
        index.try_emplace({v.x(), v.y(), v.z()}, static_cast<std::uint32_t>(vertices.size()));
    if (fresh) vertices.push_back(v);
    renamed.push_back(entry->second);
  }
  mesh.vertices = std::move(vertices);
  for (auto& t : mesh.triangles) {
    for (auto& v : t) v = renamed[v];
  }
}

void insert_sliver(TriangleMesh& unit_box) {
  // Edge 1-3 belongs to {0, 3, 1} and {1, 3, 7}; the first is split at m, the second stays.
  const auto m = static_cast<std::uint32_t>(unit_box.vertices.size());
  unit_box.vertices.push_back(0.5 * (unit_box.vertices[1] + unit_box.vertices[3]));
  auto& t = unit_box.triangles;
  const auto split = std::find(t.begin(), t.end(), std::array<std::uint32_t, 3>{0, 3, 1});
  HAPTIC_DEMAND(split != t.end());
  *split = {0, 3, m};
  t.push_back({0, m, 1});
  t.push_back({1, m, 3});
}

bool load_real_mesh(const char* name, TriangleMesh& mesh) {
  const char* named = std::getenv("HAPTIC_MESHES");
  const std::filesystem::path folder = named != nullptr ? named : HAPTIC_DEFAULT_MESHES;
  if (!std::filesystem::is_directory(folder)) return false;
  mesh = read_mesh(folder / name);
  clean_mesh(mesh);
  return true;
}

std::string test_name(const std::string& mesh_file) {
  std::string name = mesh_file.substr(0, mesh_file.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace haptic
