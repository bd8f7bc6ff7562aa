#include "lab/experiments/face_surface.h"

#include <algorithm>
#include <map>

namespace haptic {
namespace {

// Outward faces of a hexahedron in VTK order.
constexpr int kFaces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                              {2, 3, 7, 6}, {0, 4, 7, 3}, {1, 2, 6, 5}};

using Face = std::array<std::uint32_t, 4>;

std::vector<Face> boundary_faces(const SolidMesh& mesh) {
  std::map<Face, std::pair<Face, int>> found;  // sorted corners -> corners, elements
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto element = mesh.element(e);
    for (const auto& local : kFaces) {
      Face face{};
      for (std::size_t c = 0; c < 4; ++c) face[c] = element[static_cast<std::size_t>(local[c])];
      Face key = face;
      std::sort(key.begin(), key.end());
      auto& entry = found[key];
      entry.first = face;
      ++entry.second;
    }
  }
  std::vector<Face> boundary;
  for (const auto& [key, entry] : found) {
    if (entry.second == 1) boundary.push_back(entry.first);
  }
  return boundary;
}

}  // namespace

FaceSurface::FaceSurface(const SolidMesh& mesh, int cuts) {
  for (const Face& face : boundary_faces(mesh)) {
    const auto first = static_cast<std::uint32_t>(surface.vertices.size());
    const auto row = static_cast<std::uint32_t>(cuts + 1);
    for (int j = 0; j <= cuts; ++j) {
      for (int i = 0; i <= cuts; ++i) {
        const double s = static_cast<double>(i) / cuts, t = static_cast<double>(j) / cuts;
        weights.push_back({(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t});
        corners.push_back(face);
        Vector3 place = Vector3::Zero();
        for (std::size_t c = 0; c < 4; ++c) {
          place += weights.back()[c] * mesh.vertex(static_cast<int>(face[c]));
        }
        surface.vertices.push_back(place);
      }
    }
    for (std::uint32_t j = 0; j + 1 < row; ++j) {
      for (std::uint32_t i = 0; i + 1 < row; ++i) {
        const std::uint32_t a = first + j * row + i;
        surface.triangles.push_back({a, a + 1, a + row + 1});
        surface.triangles.push_back({a, a + row + 1, a + row});
      }
    }
  }
}

Eigen::MatrixXd FaceSurface::at_surface(const Eigen::MatrixXd& U) const {
  Eigen::MatrixXd rows =
      Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(corners.size()), U.cols());
  for (std::size_t v = 0; v < corners.size(); ++v) {
    for (std::size_t c = 0; c < 4; ++c) {
      rows.middleRows(3 * static_cast<Eigen::Index>(v), 3) +=
          weights[v][c] * U.middleRows(3 * static_cast<Eigen::Index>(corners[v][c]), 3);
    }
  }
  return rows;
}

}  // namespace haptic
