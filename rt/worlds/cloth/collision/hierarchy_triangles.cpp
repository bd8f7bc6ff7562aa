#include "rt/worlds/cloth/collision/hierarchy_triangles.h"

#include <algorithm>

namespace haptic::cloth {

HierarchyTriangles::HierarchyTriangles(std::span<const TriangleCorners> triangles,
                                       std::span<const double> x)
    : tree_(triangles, x, {}), scan_({triangles.begin(), triangles.end()}) {}

UpdateResult HierarchyTriangles::update(std::span<const double> start,
                                        std::span<const double> end) HAPTIC_REALTIME {
  updated_ = tree_.refit_all(start, end);
  return updated_;
}

std::size_t HierarchyTriangles::near(std::span<const double> start, std::span<const double> end,
                                     const TouchBox& box,
                                     std::span<std::uint32_t> found) const HAPTIC_REALTIME {
  if (updated_ != UpdateResult::kDone) return scan_.near(start, end, box, found);
  const HierarchyTopology& nodes = tree_.topology();
  const BoxVolume around{box.low, box.high};
  std::size_t count = 0;
  for (std::uint32_t node = 0; node < nodes.size();) {
    if (!overlap(tree_.volume(node), around)) {
      node = nodes.after(node);
    } else if (!nodes.is_leaf(node)) {
      node = nodes.first_child(node);
    } else {
      const std::uint32_t t = nodes.triangle(node);
      // A leaf has both ends of the step; a query may be about one of them.
      if (may_meet(corners(start, nodes.triangles()[t]), corners(end, nodes.triangles()[t]), box)) {
        if (count == found.size()) break;
        found[count++] = t;
      }
      node = nodes.after(node);
    }
  }
  // Of equally near triangles the god-object takes the first.
  std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

std::size_t HierarchyTriangles::visited(const TouchBox& box) const HAPTIC_REALTIME {
  const HierarchyTopology& nodes = tree_.topology();
  const BoxVolume around{box.low, box.high};
  std::size_t count = 0;
  for (std::uint32_t node = 0; node < nodes.size(); ++count) {
    const bool below = overlap(tree_.volume(node), around) && !nodes.is_leaf(node);
    node = below ? nodes.first_child(node) : nodes.after(node);
  }
  return count;
}

}  // namespace haptic::cloth
