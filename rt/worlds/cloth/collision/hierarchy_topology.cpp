#include "rt/worlds/cloth/collision/hierarchy_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "rt/worlds/cloth/collision/bounding_volumes.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/error.h"

namespace haptic::cloth {
namespace {

/// Triangles of a part: places begin to end of the order.
struct Part {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};

class MedianSplit {
 public:
  MedianSplit(std::span<const TriangleCorners> triangles, std::span<const double> x)
      : boxes_(triangles.size()), centroids_(triangles.size()), order_(triangles.size()) {
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const Vector3 a = at(x, triangles[t][0]), b = at(x, triangles[t][1]),
                    c = at(x, triangles[t][2]);
      bound(a, b, c, boxes_[t]);
      centroids_[t] = (a + b + c) / 3.0;
    }
    std::iota(order_.begin(), order_.end(), 0u);
  }

  /// Parts of the children, 2 to `branching`.
  std::vector<Part> children(Part part, std::uint32_t branching) {
    std::vector<Part> parts = {part};
    for (std::uint32_t count = 1; count < branching; count *= 2) {
      std::vector<Part> halves;
      for (const Part whole : parts) {
        if (whole.size() == 1) {
          halves.push_back(whole);
          continue;
        }
        const std::uint32_t middle = split(whole);
        halves.push_back({whole.begin, middle});
        halves.push_back({middle, whole.end});
      }
      parts = std::move(halves);
    }
    return parts;
  }

  std::uint32_t triangle(Part part) const { return order_[part.begin]; }

 private:
  std::uint32_t split(Part part) {
    BoxVolume box;
    for (std::uint32_t k = part.begin; k < part.end; ++k) box = merged(box, boxes_[order_[k]]);
    Eigen::Index axis = 0;
    (box.upper - box.lower).maxCoeff(&axis);
    const std::uint32_t middle = part.begin + part.size() / 2;
    std::nth_element(order_.begin() + part.begin, order_.begin() + middle,
                     order_.begin() + part.end, [&](std::uint32_t s, std::uint32_t t) {
                       return std::pair(centroids_[s][axis], s) < std::pair(centroids_[t][axis], t);
                     });
    return middle;
  }

  std::vector<BoxVolume> boxes_;
  std::vector<Vector3> centroids_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

HierarchyTopology::HierarchyTopology(std::span<const TriangleCorners> triangles,
                                     std::span<const double> x, std::uint32_t branching)
    : triangles_(triangles.begin(), triangles.end()), particle_count_(x.size() / 3) {
  if (branching != 2 && branching != 4 && branching != 8) {
    throw InputError("", "branching", fmt::format("{}", branching), "2, 4 or 8");
  }
  check_triangles(triangles, x);
  MedianSplit split(triangles, x);
  std::vector<Part> parts = {{0, static_cast<std::uint32_t>(triangles.size())}};
  parent_ = {kNone};
  after_ = {0};
  for (std::uint32_t node = 0; node < parts.size(); ++node) {
    const bool leaf = parts[node].size() == 1;
    triangle_.push_back(leaf ? split.triangle(parts[node]) : kNone);
    first_child_.push_back(leaf ? kNone : static_cast<std::uint32_t>(parts.size()));
    child_count_.push_back(0);
    if (leaf) {
      leaves_.push_back(node);
      continue;
    }
    const std::vector<Part> children = split.children(parts[node], branching);
    child_count_[node] = static_cast<std::uint8_t>(children.size());
    for (const Part& child : children) {
      parts.push_back(child);
      parent_.push_back(node);
      after_.push_back(static_cast<std::uint32_t>(parts.size()));
    }
    after_.back() = kNone;  // that of the parent, once all are known
  }
  after_[0] = size();
  for (std::uint32_t node = 1; node < size(); ++node) {
    if (after_[node] == kNone) after_[node] = after_[parent_[node]];
  }
}

}  // namespace haptic::cloth
