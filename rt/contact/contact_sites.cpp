#include "rt/contact/contact_sites.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "shared/error.h"

namespace haptic {

namespace {

constexpr std::uint32_t kFewestCells = 256;
constexpr std::uint32_t kUnnumbered = 0xffffffff;
// Rest spheres contain samples; the surface between samples of neighbouring cells is in neither.
constexpr double kWider = 1.25;
// Least cosine between the normals of neighbours; a sharp edge has more, two sides of a sheet less.
constexpr double kFacing = -0.5;

/// Number of levels from the top on which every node has children.
std::uint32_t levels_above_leaves(const PointTree& tree) {
  std::uint32_t level = 0;
  for (; level < tree.level_count(); ++level) {
    for (std::uint32_t n = tree.level_begin(level); n < tree.level_begin(level + 1); ++n) {
      if (tree.child_count(n) == 0) return level;
    }
  }
  return level;
}

std::uint32_t level_of_cells(const PointTree& tree) {
  const std::uint32_t levels = levels_above_leaves(tree);
  if (levels == 0) {
    throw InputError("contact", "scaling",
                     "found \"per-site\" over a tree with leaves on its top level",
                     "a shell of two levels or more");
  }
  std::uint32_t level = 0;
  while (level + 1 < levels &&
         tree.level_begin(level + 1) - tree.level_begin(level) < kFewestCells) {
    ++level;
  }
  return level;
}

}  // namespace

ContactSites::ContactSites(const PointShell& shell, const PointTree& tree)
    : level_(level_of_cells(tree)), cell_of_(shell.size(), 0) {
  cells_.resize(tree.level_begin(level_ + 1));
  occupied_.resize(cells_.size());
  std::vector<std::uint32_t> cell_of_node(tree.node_count());
  std::iota(cell_of_node.begin(), cell_of_node.end(), 0u);
  for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
    for (std::uint32_t n = tree.level_begin(level); n < tree.level_begin(level + 1); ++n) {
      cell_of_[tree.point(n)] = cell_of_node[n];
      if (level <= level_) cells_[n].level = level;
      for (std::uint32_t i = 0; i < tree.child_count(n); ++i) {
        const std::uint32_t child = tree.child_begin(n) + i;
        if (level < level_) cells_[child].parent = n;
        if (level >= level_) cell_of_node[child] = cell_of_node[n];
      }
    }
    if (level <= level_) add_neighbours(shell, tree, level);
  }
}

/// Finds neighbours by a sweep along x over the rest spheres of one level.
void ContactSites::add_neighbours(const PointShell& shell, const PointTree& tree,
                                  std::uint32_t level) {
  struct Sphere {
    Vector3 centre, normal;
    double radius;
    std::uint32_t node;
  };
  std::vector<Sphere> spheres;
  double widest = 0.0;
  for (std::uint32_t n = tree.level_begin(level); n < tree.level_begin(level + 1); ++n) {
    const std::uint32_t point = tree.point(n);
    const double radius = kWider * tree.rest_radius(n);
    spheres.push_back({shell.rest_position(point), shell.rest_normal(point), radius, n});
    widest = std::max(widest, radius);
  }
  std::sort(spheres.begin(), spheres.end(), [](const Sphere& a, const Sphere& b) {
    return a.centre.x() != b.centre.x() ? a.centre.x() < b.centre.x() : a.node < b.node;
  });
  std::vector<std::vector<std::uint32_t>> lists(spheres.size());
  const std::uint32_t first = tree.level_begin(level);
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const Sphere& a = spheres[i];
    for (std::size_t j = i + 1; j < spheres.size(); ++j) {
      const Sphere& b = spheres[j];
      if (b.centre.x() - a.centre.x() > a.radius + widest) break;
      if ((b.centre - a.centre).norm() > a.radius + b.radius) continue;
      if (a.normal.dot(b.normal) < kFacing) continue;
      lists[a.node - first].push_back(b.node);
      lists[b.node - first].push_back(a.node);
    }
  }
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Cell& cell = cells_[first + i];
    cell.neighbours_begin = static_cast<std::uint32_t>(neighbours_.size());
    neighbours_.insert(neighbours_.end(), lists[i].begin(), lists[i].end());
    cell.neighbours_end = static_cast<std::uint32_t>(neighbours_.size());
  }
}

std::uint32_t ContactSites::cell_on(std::uint32_t level,
                                    std::uint32_t point) const HAPTIC_REALTIME {
  std::uint32_t cell = cell_of_[point];
  while (cells_[cell].level > level) cell = cells_[cell].parent;
  return cell;
}

std::uint32_t ContactSites::leader_of(std::uint32_t cell) HAPTIC_REALTIME {
  while (cells_[cell].leader != cell) {
    cells_[cell].leader = cells_[cells_[cell].leader].leader;
    cell = cells_[cell].leader;
  }
  return cell;
}

std::uint32_t ContactSites::group(std::span<const TouchingPoint> touching, std::uint32_t level,
                                  std::span<std::uint32_t> site) HAPTIC_REALTIME {
  ++cycle_;
  const std::uint32_t on = std::min(level_, level == 0 ? 0 : level - 1);
  std::uint32_t occupied = 0;
  for (std::size_t i = 0; i < touching.size(); ++i) {
    site[i] = cell_on(on, touching[i].point);
    Cell& cell = cells_[site[i]];
    if (cell.cycle == cycle_) continue;
    cell.cycle = cycle_;
    cell.leader = site[i];
    cell.site = kUnnumbered;
    occupied_[occupied++] = site[i];
  }
  for (std::uint32_t i = 0; i < occupied; ++i) {
    const Cell& cell = cells_[occupied_[i]];
    for (std::uint32_t n = cell.neighbours_begin; n < cell.neighbours_end; ++n) {
      if (cells_[neighbours_[n]].cycle != cycle_) continue;
      cells_[leader_of(neighbours_[n])].leader = leader_of(occupied_[i]);
    }
  }
  std::uint32_t sites = 0;
  for (std::uint32_t& entry : site) {
    Cell& leader = cells_[leader_of(entry)];
    if (leader.site == kUnnumbered) leader.site = sites++;
    entry = leader.site;
  }
  return sites;
}

}  // namespace haptic
