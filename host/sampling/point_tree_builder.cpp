#include "host/sampling/point_tree_builder.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "host/sampling/nearest_points.h"
#include "shared/error.h"

namespace haptic {

namespace {

void check(std::span<const Vector3> points, std::span<const std::uint32_t> level_end,
           std::span<const float> displacement, std::uint32_t r) {
  const bool increasing = !level_end.empty() && level_end.front() > 0 &&
                          std::adjacent_find(level_end.begin(), level_end.end(),
                                             std::greater_equal<>()) == level_end.end();
  if (!increasing || level_end.back() != points.size()) {
    throw InputError("point tree", "level_end",
                     fmt::format("found {} levels that do not end with {} points", level_end.size(),
                                 points.size()),
                     "strictly increasing sizes up to the number of points");
  }
  if (displacement.size() != points.size() * 3 * r) {
    throw InputError("point tree", "displacement",
                     fmt::format("found {} numbers", displacement.size()),
                     fmt::format("{} x 3 x {}", points.size(), r));
  }
}

/// Place of a point on a Z-curve through the box of all, 21 bits a coordinate.
std::vector<std::uint64_t> curve_places(std::span<const Vector3> points) {
  Vector3 low = points.front(), high = points.front();
  for (const Vector3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double scale = 2097151.0 / std::max((high - low).maxCoeff(), 1e-300);
  std::vector<std::uint64_t> places;
  places.reserve(points.size());
  for (const Vector3& p : points) {
    std::uint64_t place = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto x = static_cast<std::uint64_t>(scale * (p[axis] - low[axis]));
      for (int bit = 0; bit < 21; ++bit) place |= ((x >> bit) & 1) << (3 * bit + axis);
    }
    places.push_back(place);
  }
  return places;
}

/// The smallest float that is not below x.
float rounded_up(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// Nodes of all levels with their children, without radii.
BuiltTree nest(std::span<const Vector3> points, std::span<const std::uint32_t> level_end) {
  BuiltTree tree;
  tree.level_begin.push_back(0);
  for (std::uint32_t p = 0; p < level_end.front(); ++p) tree.point.push_back(p);
  tree.level_begin.push_back(level_end.front());

  for (std::size_t level = 1; level < level_end.size(); ++level) {
    const std::uint32_t old = level_end[level - 1];
    const std::uint32_t all = level_end[level];
    const NearestPoints search(points.first(old));
    std::vector<std::uint32_t> parent(all);  // point at the centre of the parent node
    tbb::parallel_for(std::uint32_t{0}, all, [&](std::uint32_t p) {
      parent[p] = p < old ? p : search.nearest(points[p]);
    });

    // Old points have lower indices than new ones, so the copy of a node is its first child.
    std::vector<std::uint32_t> begin(old + 1, 0);
    for (const std::uint32_t p : parent) ++begin[p + 1];
    for (std::uint32_t p = 0; p < old; ++p) begin[p + 1] += begin[p];
    std::vector<std::uint32_t> children(all);
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t p = 0; p < all; ++p) children[next[parent[p]]++] = p;

    for (std::uint32_t node = tree.level_begin[level - 1]; node < tree.level_begin[level]; ++node) {
      const std::uint32_t p = tree.point[node];
      tree.child_begin.push_back(static_cast<std::uint32_t>(tree.point.size()));
      tree.child_count.push_back(begin[p + 1] - begin[p]);
      tree.point.insert(tree.point.end(), children.begin() + begin[p],
                        children.begin() + begin[p + 1]);
    }
    tree.level_begin.push_back(static_cast<std::uint32_t>(tree.point.size()));
  }
  const auto nodes = static_cast<std::uint32_t>(tree.point.size());
  tree.child_begin.resize(nodes, nodes);
  tree.child_count.resize(nodes, 0);
  return tree;
}

/// Nodes of the last level below each node, first and one past the last: one range, because
/// children follow the order of their parents.
std::vector<std::pair<std::uint32_t, std::uint32_t>> leaf_ranges(const BuiltTree& tree) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> range(tree.nodes());
  for (std::size_t node = tree.nodes(); node-- > 0;) {
    if (tree.child_count[node] == 0) {
      range[node] = {static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(node) + 1};
    } else {
      const std::uint32_t first = tree.child_begin[node];
      range[node] = {range[first].first, range[first + tree.child_count[node] - 1].second};
    }
  }
  return range;
}

}  // namespace

BuiltTree build_point_tree(std::span<const Vector3> points,
                           std::span<const std::uint32_t> level_end,
                           std::span<const float> displacement, std::uint32_t r) {
  check(points, level_end, displacement, r);
  BuiltTree tree = nest(points, level_end);
  tree.radius.resize(tree.nodes());
  tree.modal_radius.resize(tree.nodes() * r);

  // A square root is right to half an ulp of double; this factor makes it an upper bound.
  constexpr double kUp = 1.0 + 4.0 * std::numeric_limits<double>::epsilon();
  const auto ranges = leaf_ranges(tree);
  tbb::parallel_for(std::size_t{0}, tree.nodes(), [&](std::size_t node) {
    const std::uint32_t centre = tree.point[node];
    const float* Uc = displacement.data() + std::size_t{3} * r * centre;
    double radius2 = 0.0;
    std::vector<double> modal2(r, 0.0);
    for (std::uint32_t leaf = ranges[node].first; leaf < ranges[node].second; ++leaf) {
      const std::uint32_t s = tree.point[leaf];
      radius2 = std::max(radius2, (points[s] - points[centre]).squaredNorm());
      const float* Us = displacement.data() + std::size_t{3} * r * s;
      for (std::uint32_t j = 0; j < r; ++j) {
        const double x = static_cast<double>(Us[j]) - Uc[j];
        const double y = static_cast<double>(Us[r + j]) - Uc[r + j];
        const double z = static_cast<double>(Us[2 * r + j]) - Uc[2 * r + j];
        modal2[j] = std::max(modal2[j], x * x + y * y + z * z);
      }
    }
    tree.radius[node] = rounded_up(std::sqrt(radius2) * kUp);
    for (std::uint32_t j = 0; j < r; ++j) {
      tree.modal_radius[node * r + j] = rounded_up(std::sqrt(modal2[j]) * kUp);
    }
  });
  return tree;
}

std::vector<std::uint32_t> tree_order(std::span<const Vector3> points,
                                      std::span<const std::uint32_t> level_end) {
  check(points, level_end, {}, 0);
  std::vector<std::uint32_t> order(level_end.front());
  std::iota(order.begin(), order.end(), 0u);
  const std::vector<std::uint64_t> places = curve_places(points.first(order.size()));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });

  std::vector<Vector3> ordered;  // so that ties go to the same parents as in build_point_tree
  std::vector<std::uint32_t> nodes(order.size());  // of the level above, by place in the order
  std::iota(nodes.begin(), nodes.end(), 0u);
  for (std::size_t level = 1; level < level_end.size(); ++level) {
    const std::uint32_t old = level_end[level - 1], fresh = level_end[level] - old;
    for (std::size_t i = ordered.size(); i < old; ++i) ordered.push_back(points[order[i]]);
    const NearestPoints search(ordered);
    std::vector<std::uint32_t> parent(fresh), by_parent(fresh), rank(old), next;
    tbb::parallel_for(std::uint32_t{0}, fresh,
                      [&](std::uint32_t i) { parent[i] = search.nearest(points[old + i]); });
    for (std::uint32_t i = 0; i < old; ++i) rank[nodes[i]] = i;
    std::iota(by_parent.begin(), by_parent.end(), 0u);
    std::stable_sort(by_parent.begin(), by_parent.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank[parent[a]] < rank[parent[b]];
    });
    next.reserve(level_end[level]);
    auto child = by_parent.begin();
    for (const std::uint32_t node : nodes) {
      next.push_back(node);
      for (; child != by_parent.end() && parent[*child] == node; ++child) {
        next.push_back(static_cast<std::uint32_t>(order.size()));
        order.push_back(old + *child);
      }
    }
    nodes = std::move(next);
  }
  return order;
}

}  // namespace haptic
