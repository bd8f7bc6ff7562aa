#include "host/mesh/tetrahedral_mesh.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "shared/error.h"

namespace haptic {
namespace {

/// Outward faces of a positive tetrahedron, right hand.
constexpr std::array<std::array<std::size_t, 3>, 4> kFaces = {
    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};

using Face = std::array<std::uint32_t, 3>;

struct FaceUse {
  std::size_t element;
  Face outward;
  int count;
};

}  // namespace

void orient(TetrahedralMesh& mesh, const std::string& source) {
  mesh.turned = 0;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    auto& corners = mesh.tetrahedra[e];
    const auto refuse = [&](const std::string& found, const std::string& expected) {
      throw InputError(source, fmt::format("tetrahedron {}", e), found, expected);
    };
    for (std::size_t a = 0; a < 4; ++a) {
      if (corners[a] >= mesh.vertices.size()) {
        refuse(fmt::format("found vertex {}", corners[a]),
               fmt::format("an index below {}", mesh.vertices.size()));
      }
      if (std::count(corners.begin(), corners.end(), corners[a]) > 1) {
        refuse(fmt::format("found vertex {} twice", corners[a]), "four distinct corners");
      }
    }
    double longest = 0.0;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) {
        longest = std::max(longest, (mesh.vertices[corners[a]] - mesh.vertices[corners[b]]).norm());
      }
    }
    const Vector3& origin = mesh.vertices[corners[0]];
    const double six_volumes = (mesh.vertices[corners[1]] - origin)
                                   .cross(mesh.vertices[corners[2]] - origin)
                                   .dot(mesh.vertices[corners[3]] - origin);
    if (!(std::abs(six_volumes) > 1e-10 * longest * longest * longest)) {
      refuse(fmt::format("found volume {:.3g} with edges up to {:.3g}", std::abs(six_volumes) / 6.0,
                         longest),
             "four corners that are not in a plane");
    }
    if (six_volumes < 0.0) {
      std::swap(corners[2], corners[3]);
      ++mesh.turned;
    }
  }
}

void leave_out_unused_vertices(TetrahedralMesh& mesh, std::span<const std::int64_t> tags) {
  constexpr auto kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> renumbered(mesh.vertices.size(), kUnused);
  for (const auto& corners : mesh.tetrahedra) {
    for (const std::uint32_t v : corners) renumbered[v] = 0;
  }
  std::uint32_t next = 0;
  for (std::size_t v = 0; v < renumbered.size(); ++v) {
    if (renumbered[v] == kUnused) {
      if (mesh.left_out.count++ == 0) mesh.left_out.first_tag = tags[v];
      continue;
    }
    mesh.left_out.renumbers = next != v;
    mesh.vertices[next] = mesh.vertices[v];
    renumbered[v] = next++;
  }
  mesh.vertices.resize(next);
  for (auto& corners : mesh.tetrahedra) {
    for (std::uint32_t& v : corners) v = renumbered[v];
  }
  for (NamedGroup& group : mesh.groups) {
    std::erase_if(group.vertices, [&](std::uint32_t v) { return renumbered[v] == kUnused; });
    for (std::uint32_t& v : group.vertices) v = renumbered[v];
  }
}

TetrahedralMesh scaled(TetrahedralMesh mesh, double factor) {
  for (Vector3& v : mesh.vertices) v *= factor;
  return mesh;
}

TetrahedralMesh translated(TetrahedralMesh mesh, const Vector3& offset) {
  for (Vector3& v : mesh.vertices) v += offset;
  return mesh;
}

BoundarySurface boundary_surface(const TetrahedralMesh& mesh, const std::string& source) {
  std::map<Face, FaceUse> faces;
  for (std::size_t e = 0; e < mesh.tetrahedra.size(); ++e) {
    for (const auto& face : kFaces) {
      const Face outward = {mesh.tetrahedra[e][face[0]], mesh.tetrahedra[e][face[1]],
                            mesh.tetrahedra[e][face[2]]};
      Face key = outward;
      std::sort(key.begin(), key.end());
      const auto [use, is_new] = faces.try_emplace(key, FaceUse{e, outward, 1});
      if (is_new) continue;
      // The neighbour sees a shared face the other way round: an odd permutation.
      Face rotated = use->second.outward;
      std::rotate(rotated.begin(), std::find(rotated.begin(), rotated.end(), outward[0]),
                  rotated.end());
      if (++use->second.count > 2 || rotated == outward) {
        throw InputError(source, fmt::format("tetrahedron {}", e),
                         fmt::format("found its face {} {} {} on the side of tetrahedron {}",
                                     outward[0], outward[1], outward[2], use->second.element),
                         "elements that do not overlap");
      }
    }
  }
  std::vector<std::tuple<std::size_t, Face, Face>> boundary;  // element, sorted, outward
  std::vector<bool> used(mesh.vertices.size(), false);
  for (const auto& [key, use] : faces) {
    if (use.count != 1) continue;
    boundary.emplace_back(use.element, key, use.outward);
    for (const std::uint32_t v : key) used[v] = true;
  }
  std::sort(boundary.begin(), boundary.end());

  BoundarySurface surface;
  std::vector<std::uint32_t> surface_vertex(mesh.vertices.size(), 0);
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) continue;
    surface_vertex[v] = static_cast<std::uint32_t>(surface.volume_vertex.size());
    surface.volume_vertex.push_back(static_cast<std::uint32_t>(v));
    surface.mesh.vertices.push_back(mesh.vertices[v]);
  }
  for (const auto& [element, sorted, face] : boundary) {
    surface.mesh.triangles.push_back(
        {surface_vertex[face[0]], surface_vertex[face[1]], surface_vertex[face[2]]});
  }
  return surface;
}

}  // namespace haptic
