#include "host/mesh/tetrahedron_locator.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "shared/assert.h"

namespace haptic {
namespace {

constexpr std::uint32_t kLeafSize = 4;

/// Squared distance from a point to a closed triangle (Ericson 2005, 5.1.5).
double triangle_distance_squared(const Vector3& p, const Vector3& a, const Vector3& b,
                                 const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return ap.squaredNorm();
  const Vector3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return bp.squaredNorm();
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return (ap - d1 / (d1 - d3) * ab).squaredNorm();
  const Vector3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return cp.squaredNorm();
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return (ap - d2 / (d2 - d6) * ac).squaredNorm();
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    return (bp - (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b)).squaredNorm();
  }
  const double sum = va + vb + vc;
  return (ap - vb / sum * ab - vc / sum * ac).squaredNorm();
}

double box_distance_squared(const BoundingBox& box, const Vector3& p) {
  return (box.lower - p).cwiseMax(p - box.upper).cwiseMax(0.0).squaredNorm();
}

}  // namespace

TetrahedronLocator::TetrahedronLocator(const TetrahedralMesh& mesh)
    : mesh_(mesh), order_(mesh.tetrahedra.size()) {
  HAPTIC_DEMAND(!mesh.tetrahedra.empty());
  std::iota(order_.begin(), order_.end(), 0U);
  centres_.reserve(order_.size());
  for (const auto& corners : mesh.tetrahedra) {
    Vector3 sum = Vector3::Zero();
    for (const std::uint32_t v : corners) sum += mesh.vertices[v];
    centres_.push_back(0.25 * sum);
  }
  build(0, static_cast<std::uint32_t>(order_.size()));
  // Rounding of a distance near the mesh: 1e-12 of its size.
  const double size = nodes_.front().box.longest_side();
  tie_ = 1e-24 * size * size;
}

std::uint32_t TetrahedronLocator::build(std::uint32_t begin, std::uint32_t end) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  BoundingBox box{mesh_.vertices[mesh_.tetrahedra[order_[begin]][0]],
                  mesh_.vertices[mesh_.tetrahedra[order_[begin]][0]]};
  for (std::uint32_t i = begin; i < end; ++i) {
    for (const std::uint32_t v : mesh_.tetrahedra[order_[i]]) {
      box.lower = box.lower.cwiseMin(mesh_.vertices[v]);
      box.upper = box.upper.cwiseMax(mesh_.vertices[v]);
    }
  }
  nodes_.push_back({box, begin, end, 0});
  if (end - begin > kLeafSize) {
    Eigen::Index axis = 0;
    box.size().maxCoeff(&axis);
    const std::uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::uint32_t a, std::uint32_t b) {
                       return std::pair(centres_[a][axis], a) < std::pair(centres_[b][axis], b);
                     });
    build(begin, middle);
    nodes_[index].right = build(middle, end);
  }
  return index;
}

double TetrahedronLocator::distance_squared(std::uint32_t element, const Vector3& point) const {
  const Barycentric weights = coordinates(element, point);
  if (weights.minCoeff() >= 0.0) return 0.0;
  const auto& corners = mesh_.tetrahedra[element];
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t opposite = 0; opposite < 4; ++opposite) {
    // The nearest point lies on a face that the point is outside of.
    if (weights[static_cast<Eigen::Index>(opposite)] >= 0.0) continue;
    best =
        std::min(best, triangle_distance_squared(point, mesh_.vertices[corners[(opposite + 1) % 4]],
                                                 mesh_.vertices[corners[(opposite + 2) % 4]],
                                                 mesh_.vertices[corners[(opposite + 3) % 4]]));
  }
  return best;
}

TetrahedronLocator::Found TetrahedronLocator::nearest(const Vector3& point) const {
  Found best{std::numeric_limits<std::uint32_t>::max(), std::numeric_limits<double>::infinity()};
  const auto tie = [&](const Found& found) {
    // Before the first element there is no distance to compare with.
    return std::isinf(found.distance_squared) ? 0.0 : tie_ + 1e-13 * found.distance_squared;
  };
  std::vector<std::uint32_t> waiting = {0};
  while (!waiting.empty()) {
    const Node& node = nodes_[waiting.back()];
    waiting.pop_back();
    if (box_distance_squared(node.box, point) > best.distance_squared + tie(best)) continue;
    if (node.right == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        const double d2 = distance_squared(order_[i], point);
        if (d2 < best.distance_squared - tie(best) ||
            (d2 <= best.distance_squared + tie(best) && order_[i] < best.element)) {
          best = {order_[i], std::min(d2, best.distance_squared)};
        }
      }
      continue;
    }
    const auto left = static_cast<std::uint32_t>(&node - nodes_.data()) + 1;
    const bool left_first = box_distance_squared(nodes_[left].box, point) <=
                            box_distance_squared(nodes_[node.right].box, point);
    waiting.push_back(left_first ? node.right : left);
    waiting.push_back(left_first ? left : node.right);
  }
  return best;
}

Eigen::Matrix<double, 3, 4> TetrahedronLocator::gradients(std::uint32_t element) const {
  const auto& corners = mesh_.tetrahedra[element];
  Eigen::Matrix3d edges;
  for (std::size_t a = 0; a < 3; ++a) {
    edges.col(static_cast<Eigen::Index>(a)) =
        mesh_.vertices[corners[a + 1]] - mesh_.vertices[corners[0]];
  }
  Eigen::Matrix<double, 3, 4> gradients;
  gradients.rightCols<3>() = edges.inverse().transpose();
  gradients.col(0) = -gradients.rightCols<3>().rowwise().sum();
  return gradients;
}

Barycentric TetrahedronLocator::coordinates(std::uint32_t element, const Vector3& point) const {
  const auto& corners = mesh_.tetrahedra[element];
  const Vector3 from_first = point - mesh_.vertices[corners[0]];
  Barycentric weights = gradients(element).transpose() * from_first;
  weights[0] = 1.0 - weights.tail<3>().sum();
  return weights;
}

}  // namespace haptic
