#include "host/unreduced/mesh_place.h"

#include <Eigen/LU>
#include <algorithm>
#include <limits>

namespace haptic {
namespace {

/// Trilinear weights of the nearest point of a box, and its squared distance.
double weigh_box(const Eigen::Matrix<double, 3, 8>& corners, const Vector3& point,
                 std::array<double, 8>& weights) {
  const Vector3 low = corners.col(0), size = corners.col(6) - corners.col(0);
  const Vector3 nearest = point.cwiseMax(low).cwiseMin(corners.col(6));
  const Vector3 share = (nearest - low).cwiseQuotient(size);
  const CornerVectors offsets = hexahedron_corner_offsets();
  for (int a = 0; a < 8; ++a) {
    double weight = 1.0;
    for (int d = 0; d < 3; ++d) weight *= offsets(d, a) > 0.5 ? share[d] : 1.0 - share[d];
    weights[static_cast<std::size_t>(a)] = weight;
  }
  return (nearest - point).squaredNorm();
}

/// Barycentric weights of a point in a tetrahedron that are not negative, and the squared distance
/// of the point that they give.
double weigh_tetrahedron(const TetrahedronCorners& corners, const Vector3& point,
                         std::array<double, 8>& weights) {
  Eigen::Matrix4d rows;
  rows << corners, Eigen::RowVector4d::Ones();
  Eigen::Vector4d share = rows.partialPivLu().solve(Eigen::Vector4d(point.homogeneous()));
  share = share.cwiseMax(0.0);
  share /= share.sum();
  std::copy_n(share.data(), 4, weights.begin());
  return (corners * share - point).squaredNorm();
}

bool is_box(const Eigen::Matrix<double, 3, 8>& corners) {
  const Vector3 size = corners.col(6) - corners.col(0);
  const CornerVectors box =
      (size.asDiagonal() * hexahedron_corner_offsets()).colwise() + Vector3(corners.col(0));
  return size.minCoeff() > 0.0 && (corners - box).cwiseAbs().maxCoeff() <= 1e-9 * size.maxCoeff();
}

}  // namespace

std::uint32_t MeshPlace::main_vertex() const {
  const auto end = weights.begin() + static_cast<std::ptrdiff_t>(count);
  return vertices[static_cast<std::size_t>(std::max_element(weights.begin(), end) -
                                           weights.begin())];
}

MeshPlace nearest_place(const SolidMesh& mesh, const Vector3& point) {
  MeshPlace place;
  double best = std::numeric_limits<double>::infinity();
  for (int e = 0; e < mesh.element_count(); ++e) {
    MeshPlace here;
    double distance = 0.0;
    if (mesh.kind() == ElementKind::kTetrahedron) {
      distance = weigh_tetrahedron(mesh.corners<4>(e), point, here.weights);
    } else {
      const auto corners = mesh.corners<8>(e);
      if (!is_box(corners)) return MeshPlace::at_vertex(nearest_vertex(mesh.vertices(), point));
      distance = weigh_box(corners, point, here.weights);
    }
    if (!(distance < best)) continue;
    best = distance;
    const auto ids = mesh.element(e);
    here.count = ids.size();
    std::ranges::copy(ids, here.vertices.begin());
    place = here;
  }
  return place;
}

std::uint32_t nearest_vertex(std::span<const double> vertices, const Vector3& point) {
  std::uint32_t nearest = 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t v = 0; v < vertices.size() / 3; ++v) {
    const double distance = (Vector3(&vertices[3 * v]) - point).squaredNorm();
    if (distance < best) {
      best = distance;
      nearest = static_cast<std::uint32_t>(v);
    }
  }
  return nearest;
}

}  // namespace haptic
