#include "host/mesh/wall_thickness.h"

#include <cmath>

#include "host/mesh/triangle_tree.h"

namespace haptic {
namespace {

constexpr double kOpposite = -0.75;  // cosine between the normals of a wall's sides

/// Not normalised: twice the area.
Vector3 normal_of(const TriangleTree::Corners& t) {
  return (t[1] - t[0]).cross(t[2] - t[0]);
}

}  // namespace

std::optional<ThinnestPlace> thinnest_place(const TriangleMesh& mesh, std::size_t samples) {
  const TriangleTree tree(mesh);
  const double area = surface_area(mesh);
  const double beyond = 1e-9 * bounding_box(mesh).longest_side();
  std::optional<ThinnestPlace> thinnest;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const TriangleTree::Corners corners = tree.corners_of(t);
    const Vector3 normal = normal_of(corners);
    const double length = normal.norm();
    if (!(length > 0.0)) continue;
    const double share = 0.5 * length / area * static_cast<double>(samples);
    // A triangle is cut into n^2 equal ones, whose centroids are the samples.
    const int n = std::max(1, static_cast<int>(std::ceil(std::sqrt(share))));
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < 2 * (n - row) - 1; ++column) {
        const double third = column % 2 == 0 ? 1.0 / 3.0 : 2.0 / 3.0;
        const double u = (column / 2 + third) / n, v = (row + third) / n;
        const Vector3 from =
            corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0]);
        const auto hit = tree.first_hit(from, -normal / length, beyond);
        if (!hit || (thinnest && hit->distance >= thinnest->thickness)) continue;
        const Vector3 other = normal_of(tree.corners_of(hit->triangle));
        if (other.dot(normal) > kOpposite * other.norm() * length) continue;
        thinnest = {hit->distance, from};
      }
    }
  }
  return thinnest;
}

}  // namespace haptic
