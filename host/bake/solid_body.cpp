#include "host/bake/solid_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "shared/error.h"

namespace haptic {
namespace {

Vector3 vertex_of(const SolidBody& body, std::uint32_t v) {
  return Vector3(&body.vertices[3 * static_cast<std::size_t>(v)]);
}

/// Corners of the faces of a hexahedron, outward.
constexpr std::array<std::array<int, 4>, 6> kCubeFaces = {
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

}  // namespace

SolidBody solid_of_voxels(VoxelMesh voxels) {
  SolidBody body;
  for (const Vector3& v : voxels.vertices) {
    body.vertices.insert(body.vertices.end(), v.data(), v.data() + 3);
  }
  for (const auto& e : voxels.elements) {
    body.elements.insert(body.elements.end(), e.begin(), e.end());
  }
  body.voxels = std::move(voxels);
  return body;
}

SolidBody solid_of_tetrahedra(TetrahedralMesh mesh) {
  SolidBody body;
  body.kind = ElementKind::kTetrahedron;
  for (const Vector3& v : mesh.vertices) {
    body.vertices.insert(body.vertices.end(), v.data(), v.data() + 3);
  }
  for (const auto& t : mesh.tetrahedra) {
    body.elements.insert(body.elements.end(), t.begin(), t.end());
  }
  body.tetrahedra = std::move(mesh);
  return body;
}

SolidBody solid_of_cubes(std::vector<double> vertices, std::vector<std::uint32_t> elements,
                         const std::string& source) {
  SolidBody body;
  body.vertices = std::move(vertices);
  body.elements = std::move(elements);
  VoxelMesh& grid = body.voxels;
  if (body.elements.empty()) throw InputError(source, "", "found no elements", "a volume mesh");
  const auto corner = [&](std::size_t e, std::size_t a) {
    return vertex_of(body, body.elements[8 * e + a]);
  };
  grid.edge = corner(0, 1).x() - corner(0, 0).x();
  grid.origin = corner(0, 0);
  Vector3 upper = corner(0, 6);
  for (std::size_t e = 0; e < body.element_count(); ++e) {
    grid.origin = grid.origin.cwiseMin(corner(e, 0));
    upper = upper.cwiseMax(corner(e, 6));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cells = (upper - grid.origin)[static_cast<int>(axis)] / grid.edge;
    grid.dims[axis] = static_cast<std::uint32_t>(std::lround(std::clamp(cells, 0.0, 1e4)));
  }
  // Files hold seven digits at least.
  const double slack = 1e-4 * grid.edge;
  const std::uint64_t cells = std::uint64_t{grid.dims[0]} * grid.dims[1] * grid.dims[2];
  const auto refuse = [&](std::size_t e) {
    throw InputError(source, fmt::format("element {}", e),
                     "found a hexahedron that is not a cube of the grid of the first",
                     "equal axis-parallel cubes, or tetrahedra");
  };
  if (!(grid.edge > 0.0) || cells == 0 || cells > (std::uint64_t{1} << 31)) refuse(0);
  grid.element_of_cell.assign(cells, VoxelMesh::kNoElement);
  for (std::size_t e = 0; e < body.element_count(); ++e) {
    std::array<std::uint32_t, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int a = static_cast<int>(axis);
      at[axis] = static_cast<std::uint32_t>(
          std::lround(std::max(0.0, (corner(e, 0) - grid.origin)[a] / grid.edge)));
    }
    for (std::size_t c = 0; c < 8; ++c) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int a = static_cast<int>(axis);
        const double expected = grid.origin[a] + grid.edge * (at[axis] + kCornerOffsets[c][axis]);
        if (!(std::abs(corner(e, c)[a] - expected) <= slack)) refuse(e);
      }
    }
    const std::uint32_t cell = grid.cell_index(at[0], at[1], at[2]);
    if (grid.element_of_cell[cell] != VoxelMesh::kNoElement) refuse(e);
    grid.element_of_cell[cell] = static_cast<std::uint32_t>(e);
    grid.cell_of_element.push_back(cell);
    std::array<std::uint32_t, 8> ids{};
    std::copy_n(&body.elements[8 * e], 8, ids.begin());
    grid.elements.push_back(ids);
  }
  for (std::uint32_t v = 0; v < body.vertex_count(); ++v) {
    grid.vertices.push_back(vertex_of(body, v));
  }
  return body;
}

std::vector<Vector3> element_centroids(const SolidBody& body) {
  const std::size_t corners = body.corners();
  std::vector<Vector3> centroids(body.element_count(), Vector3::Zero());
  for (std::size_t e = 0; e < centroids.size(); ++e) {
    for (std::size_t a = 0; a < corners; ++a) {
      centroids[e] += vertex_of(body, body.elements[corners * e + a]);
    }
    centroids[e] /= static_cast<double>(corners);
  }
  return centroids;
}

TriangleMesh boundary_of(const SolidBody& body, const std::string& source) {
  if (body.kind == ElementKind::kTetrahedron) {
    return boundary_surface(body.tetrahedra, source).mesh;
  }
  using Face = std::array<std::uint32_t, 4>;
  std::map<Face, std::pair<Face, int>> seen;  // sorted corners -> corners in order, how often
  for (std::size_t e = 0; e < body.element_count(); ++e) {
    for (const auto& face : kCubeFaces) {
      Face ids{};
      for (std::size_t a = 0; a < 4; ++a) {
        ids[a] = body.elements[8 * e + static_cast<std::size_t>(face[a])];
      }
      Face sorted = ids;
      std::sort(sorted.begin(), sorted.end());
      ++seen.try_emplace(sorted, ids, 0).first->second.second;
    }
  }
  TriangleMesh mesh;  // clean_mesh drops the vertices that no triangle uses
  mesh.vertices = body.voxels.vertices;
  for (const auto& [sorted, face] : seen) {
    if (face.second != 1) continue;
    const auto& [a, b, c, d] = face.first;
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  }
  return mesh;
}

SolidBody placed(SolidBody body, const Placement& placement) {
  for (std::size_t v = 0; v < body.vertex_count(); ++v) {
    Eigen::Map<Vector3> at(&body.vertices[3 * v]);
    at = placement(at);
  }
  VoxelMesh& grid = body.voxels;
  grid.edge *= placement.scale;
  grid.origin = placement(grid.origin);
  for (Vector3& v : grid.vertices) v = placement(v);
  for (Vector3& v : body.tetrahedra.vertices) v = placement(v);
  return body;
}

std::vector<EmbeddedPoint> embed_points(const SolidBody& body, std::span<const Vector3> points) {
  if (body.kind == ElementKind::kTetrahedron) return Embedding(body.tetrahedra).embed(points);
  return Embedding(body.voxels).embed(points);
}

}  // namespace haptic
