#include "rt/geometry/point_tree.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kLevelBegin = "/shell/tree/level_begin";
constexpr std::string_view kPoint = "/shell/tree/point";
constexpr std::string_view kChildBegin = "/shell/tree/child_begin";
constexpr std::string_view kChildCount = "/shell/tree/child_count";
constexpr std::string_view kRadius = "/shell/tree/radius";
constexpr std::string_view kModalRadius = "/shell/tree/modal_radius";

void require_size(std::size_t found, std::size_t expected, std::string_view source,
                  std::string_view key) {
  if (found == expected) return;
  throw InputError(source, key, fmt::format("found {} numbers", found),
                   fmt::format("{}", expected));
}

void require_radii(std::span<const float> radii, std::string_view source, std::string_view key) {
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (std::isfinite(radii[i]) && radii[i] >= 0.0f) continue;
    throw InputError(source, key, fmt::format("found {} at number {}", radii[i], i),
                     "finite radii >= 0");
  }
}

/// Baked trees have at most 16. The limit bounds the path from a leaf to its root, which
/// require_points_in_spheres() walks for every leaf.
constexpr std::size_t kMaxLevels = 64;

void require_levels(std::span<const std::uint32_t> level_begin, std::size_t nodes,
                    std::string_view source) {
  if (level_begin.size() > kMaxLevels + 1) {
    throw InputError(source, kLevelBegin, fmt::format("found {} levels", level_begin.size() - 1),
                     fmt::format("at most {}", kMaxLevels));
  }
  bool ascending =
      level_begin.size() >= 2 && level_begin.front() == 0 && level_begin.back() == nodes;
  for (std::size_t i = 1; ascending && i < level_begin.size(); ++i) {
    ascending = level_begin[i - 1] < level_begin[i];
  }
  if (ascending) return;
  throw InputError(source, kLevelBegin,
                   fmt::format("found {} entries for {} nodes", level_begin.size(), nodes),
                   "first nodes of non-empty levels, ascending from 0 to the number of nodes");
}

/// Every node below the first level is the child of exactly one node of the level above.
void require_children(std::span<const std::uint32_t> level_begin,
                      std::span<const std::uint32_t> child_begin,
                      std::span<const std::uint32_t> child_count, std::string_view source) {
  std::vector<bool> has_parent(level_begin.back(), false);
  const std::size_t levels = level_begin.size() - 1;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::uint64_t begin = level_begin[level + 1];
    const std::uint64_t end = level + 1 < levels ? level_begin[level + 2] : begin;
    for (std::uint32_t node = level_begin[level]; node < level_begin[level + 1]; ++node) {
      if (child_count[node] == 0) continue;
      const std::uint64_t first = child_begin[node], last = first + child_count[node];
      if (first < begin || last > end) {
        throw InputError(source, kChildBegin,
                         fmt::format("found children {}..{} of node {}", first, last - 1, node),
                         fmt::format("nodes of the next level, {} to before {}", begin, end));
      }
      for (std::uint64_t child = first; child < last; ++child) {
        if (has_parent[child]) {
          throw InputError(source, kChildBegin, fmt::format("found two parents of node {}", child),
                           "one parent per node");
        }
        has_parent[child] = true;
      }
    }
  }
  for (std::uint32_t node = level_begin[1]; node < level_begin.back(); ++node) {
    if (!has_parent[node]) {
      throw InputError(source, kChildBegin, fmt::format("found no parent of node {}", node),
                       "one parent per node");
    }
  }
}

}  // namespace

PointTree::PointTree(std::uint32_t r, std::uint32_t point_count,
                     std::span<const std::uint32_t> level_begin,
                     std::span<const std::uint32_t> point,
                     std::span<const std::uint32_t> child_begin,
                     std::span<const std::uint32_t> child_count, std::span<const float> radius,
                     std::span<const float> modal_radius, std::string_view source)
    : dimension_(r),
      point_count_(point_count),
      level_begin_(level_begin),
      point_(point),
      child_begin_(child_begin),
      child_count_(child_count),
      radius_(radius),
      modal_radius_(modal_radius) {
  const std::size_t nodes = point.size();
  require_levels(level_begin, nodes, source);
  require_size(child_begin.size(), nodes, source, kChildBegin);
  require_size(child_count.size(), nodes, source, kChildCount);
  require_size(radius.size(), nodes, source, kRadius);
  require_size(modal_radius.size(), nodes * r, source, kModalRadius);
  for (std::size_t node = 0; node < nodes; ++node) {
    if (point[node] < point_count) continue;
    throw InputError(source, kPoint, fmt::format("found point {} at node {}", point[node], node),
                     fmt::format("an index below {}", point_count));
  }
  require_children(level_begin, child_begin, child_count, source);
  require_radii(radius, source, kRadius);
  require_radii(modal_radius, source, kModalRadius);
}

PointTree::PointTree(const ModelFile& model)
    : PointTree(
          model.reduced_dimension(),
          static_cast<std::uint32_t>(model.floats("/shell/points").size() / 3),
          model.indices(kLevelBegin), model.indices(kPoint), model.indices(kChildBegin),
          model.indices(kChildCount), model.floats(kRadius),
          model.reduced_dimension() == 0 ? std::span<const float>() : model.floats(kModalRadius),
          model.path().string()) {}

}  // namespace haptic
