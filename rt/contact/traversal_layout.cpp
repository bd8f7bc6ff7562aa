#include "rt/contact/traversal_layout.h"

#include <algorithm>
#include <cmath>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/shell_checks.h"

namespace haptic {
namespace {

// The rounding error of a square root and a few sums is some units of 2^-53.
constexpr double kUp = 1.0 + 1e-14;

}  // namespace

TraversalLayout::TraversalLayout(const PointShell& shell, const PointTree& tree)
    : dimension_(shell.dimension()),
      row_(dimension_ == 0 ? 0 : (dimension_ + 1 + 7) / 8 * 8),
      modal_extent_(dimension_, 0.0) {
  require_belonging(shell, tree, "contact");
  const std::size_t nodes = tree.node_count();
  const std::uint32_t r = dimension_;
  const std::size_t floats = places().floats();
  places_.resize(nodes * floats);
  point_.resize(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t s = point_[node] = tree.point(node);
    const Vector3 rest = shell.rest_position(s);
    float* const place = places_.data() + floats * node;
    for (int axis = 0; axis < 3; ++axis) {
      float* const row = place + (r == 0 ? 1u : row_) * static_cast<std::size_t>(axis);
      row[0] = static_cast<float>(rest[axis]);
      if (r != 0)
        std::copy_n(shell.displacement(s) + r * static_cast<std::size_t>(axis), r, row + 1);
    }
    if (r == 0) place[3] = tree.rest_radius(node);
  }
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    rest_extent_ = std::max(rest_extent_, kUp * shell.rest_position(s).norm());
    const float* const U = r == 0 ? nullptr : shell.displacement(s);
    for (std::uint32_t j = 0; j < r; ++j) {
      const Vector3 column(U[j], U[r + j], U[2 * r + j]);
      modal_extent_[j] = std::max(modal_extent_[j], kUp * column.norm());
    }
  }
  copy_children(tree);
}

void TraversalLayout::copy_children(const PointTree& tree) {
  const std::uint32_t inner = tree.level_begin(tree.level_count() - 1);
  children_.resize(inner);
  radii_.resize(std::size_t{inner} * row_);
  for (std::uint32_t node = 0; node < inner; ++node) {
    Children& children = children_[node];
    children.begin = tree.child_begin(node);
    children.count = tree.child_count(node) & 0x7fffffffu;
    children.first_is_copy = children.count != 0 && tree.point(children.begin) == tree.point(node);
    if (row_ == 0) continue;
    float* const row = radii_.data() + std::size_t{row_} * node;
    row[0] = tree.rest_radius(node);
    std::copy_n(tree.modal_radius(node), dimension_, row + 1);
  }
}

}  // namespace haptic
