#include "host/mesh/triangle_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace haptic {
namespace {

/// Distance at which a ray enters a box, or infinity; negative from within.
double entry(const BoundingBox& box, const Vector3& origin, const Vector3& inverse) {
  double enter = -std::numeric_limits<double>::infinity(), leave = -enter;
  for (int axis = 0; axis < 3; ++axis) {
    const double a = (box.lower[axis] - origin[axis]) * inverse[axis];
    const double b = (box.upper[axis] - origin[axis]) * inverse[axis];
    // A ray in the plane of a face gives NaN, which the comparisons leave out.
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return leave >= enter && leave >= 0.0 ? enter : std::numeric_limits<double>::infinity();
}

/// Distance along the ray, or infinity (Möller & Trumbore 1997).
double distance_to(const TriangleTree::Corners& t, const Vector3& origin,
                   const Vector3& direction) {
  constexpr double kMissed = std::numeric_limits<double>::infinity();
  const Vector3 ab = t[1] - t[0], ac = t[2] - t[0], p = direction.cross(ac);
  const double det = ab.dot(p);
  if (det == 0.0) return kMissed;
  const Vector3 from = origin - t[0];
  const double u = from.dot(p) / det;
  const Vector3 q = from.cross(ab);
  const double v = direction.dot(q) / det;
  return u >= 0.0 && v >= 0.0 && u + v <= 1.0 ? ac.dot(q) / det : kMissed;
}

}  // namespace

TriangleTree::TriangleTree(const TriangleMesh& mesh) : mesh_(mesh), order_(mesh.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  boxes_.reserve(order_.size());
  for (std::uint32_t t = 0; t < order_.size(); ++t) {
    const Corners corners = corners_of(t);
    BoundingBox box{corners[0], corners[0]};
    for (const Vector3& corner : corners) box.include(corner);
    boxes_.push_back(box);
  }
  if (!order_.empty()) build(0, static_cast<std::uint32_t>(order_.size()));
}

void TriangleTree::build(std::uint32_t begin, std::uint32_t end) {
  constexpr std::uint32_t kLeaf = 4;
  const std::size_t at = nodes_.size();
  Node node{boxes_[order_[begin]], begin, end};
  BoundingBox centres{node.box.centre(), node.box.centre()};
  for (std::uint32_t n = begin; n < end; ++n) {
    const BoundingBox& box = boxes_[order_[n]];
    node.box.include(box.lower);
    node.box.include(box.upper);
    centres.include(box.centre());
  }
  nodes_.push_back(node);
  if (end - begin <= kLeaf) return;
  int axis = 0;
  centres.size().maxCoeff(&axis);
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](std::uint32_t s, std::uint32_t t) {
                     const double a = boxes_[s].centre()[axis], b = boxes_[t].centre()[axis];
                     return a != b ? a < b : s < t;
                   });
  build(begin, middle);
  nodes_[at].right = static_cast<std::uint32_t>(nodes_.size());
  build(middle, end);
}

std::optional<TriangleTree::Hit> TriangleTree::first_hit(const Vector3& origin,
                                                         const Vector3& direction,
                                                         double beyond) const {
  const Vector3 inverse = direction.cwiseInverse();
  Hit best{std::numeric_limits<double>::infinity(), 0};
  std::vector<std::uint32_t> open;
  if (!nodes_.empty()) open.push_back(0);
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    const Node& node = nodes_[i];
    if (!(entry(node.box, origin, inverse) < best.distance)) continue;
    if (node.right != 0) {
      open.insert(open.end(), {i + 1, node.right});
      continue;
    }
    for (std::uint32_t n = node.begin; n < node.end; ++n) {
      const double distance = distance_to(corners_of(order_[n]), origin, direction);
      if (distance > beyond && distance < best.distance) best = {distance, order_[n]};
    }
  }
  if (best.distance == std::numeric_limits<double>::infinity()) return std::nullopt;
  return best;
}

}  // namespace haptic
