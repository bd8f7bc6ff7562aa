#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Boxes of a mesh's triangles in a binary tree.
class TriangleTree {
 public:
  using Corners = std::array<Vector3, 3>;
  struct Hit {
    double distance;
    std::uint32_t triangle;
  };

  /// @param mesh outlives this
  explicit TriangleTree(const TriangleMesh& mesh);

  Corners corners_of(std::uint32_t t) const {
    const auto& [i, j, k] = mesh_.triangles[t];
    return {mesh_.vertices[i], mesh_.vertices[j], mesh_.vertices[k]};
  }

  /// Calls visit(s, t), s < t, for each pair of triangles whose boxes overlap.
  template <typename Visit>
  void for_each_overlap(Visit visit) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;
    if (!nodes_.empty()) open.emplace_back(0, 0);
    while (!open.empty()) {
      const auto [i, j] = open.back();
      open.pop_back();
      const Node &a = nodes_[i], &b = nodes_[j];
      if (!a.box.overlaps(b.box)) continue;
      if (a.right == 0 && b.right == 0) {
        visit_leaves(a, b, visit);
      } else if (i == j) {
        open.insert(open.end(), {{i + 1, i + 1}, {i + 1, a.right}, {a.right, a.right}});
      } else if (b.right == 0 || (a.right != 0 && a.end - a.begin >= b.end - b.begin)) {
        open.insert(open.end(), {{i + 1, j}, {a.right, j}});
      } else {
        open.insert(open.end(), {{i, j + 1}, {i, b.right}});
      }
    }
  }

  /// The nearest triangle that a ray meets from either side.
  /// @param direction unit; @param beyond triangles up to this distance are passed
  std::optional<Hit> first_hit(const Vector3& origin, const Vector3& direction,
                               double beyond) const;

 private:
  /// The left child follows its node.
  struct Node {
    BoundingBox box;
    std::uint32_t begin, end;  ///< in order_
    std::uint32_t right = 0;   ///< child; 0: a leaf
  };

  template <typename Visit>
  void visit_leaves(const Node& a, const Node& b, Visit& visit) const {
    for (std::uint32_t m = a.begin; m < a.end; ++m) {
      for (std::uint32_t n = &a == &b ? m + 1 : b.begin; n < b.end; ++n) {
        const std::uint32_t s = order_[m], t = order_[n];
        if (boxes_[s].overlaps(boxes_[t])) visit(s < t ? s : t, s < t ? t : s);
      }
    }
  }
  void build(std::uint32_t begin, std::uint32_t end);

  const TriangleMesh& mesh_;
  std::vector<std::uint32_t> order_;  ///< triangles, those of a leaf together
  std::vector<BoundingBox> boxes_;    ///< of the triangles
  std::vector<Node> nodes_;
};

}  // namespace haptic
