#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/touching_point.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;

/// Groups the points of a contact into sites: connected patches of the shell's surface.
///
/// The surface is divided into cells, the subtrees of one level of the point tree above the leaves:
/// the coarsest with 256 nodes or more, else the finest. Two cells are neighbours if their rest
/// spheres, enlarged by a quarter, overlap and their normals are not opposite (the two sides of a
/// sheet are two sites). A site is a connected set of neighbouring cells with touching points.
/// Cells and neighbours are those of the rest shape, so deformation alone neither joins nor splits
/// sites. If a traversal stops above the level of the cells, their ancestors on its level replace
/// them.
class ContactSites {
 public:
  /// Cost of construction: a sort and a sweep of a few hundred to a few thousand cells.
  /// @throws InputError if the tree has no level above its leaves
  ContactSites(const PointShell& shell, const PointTree& tree);

  /// Numbers the sites from 0 in the order of their first points; costs O(points + cells * 10).
  /// @param level  deepest level that the traversal rendered, from 1
  /// @param site   out: one entry per touching point
  /// @returns the number of sites
  std::uint32_t group(std::span<const TouchingPoint> touching, std::uint32_t level,
                      std::span<std::uint32_t> site) HAPTIC_REALTIME;

  std::uint32_t cell_count() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(cells_.size());
  }

 private:
  /// A node of the tree on the level of the cells or above it.
  struct Cell {
    std::uint32_t parent = 0, level = 0;                     // from 0
    std::uint32_t neighbours_begin = 0, neighbours_end = 0;  // into neighbours_, of the same level
    // Of the current grouping.
    std::uint64_t cycle = 0;
    std::uint32_t leader = 0;  // union-find
    std::uint32_t site = 0;    // of a leader
  };

  void add_neighbours(const PointShell& shell, const PointTree& tree, std::uint32_t level);
  std::uint32_t cell_on(std::uint32_t level, std::uint32_t point) const HAPTIC_REALTIME;
  std::uint32_t leader_of(std::uint32_t cell) HAPTIC_REALTIME;

  std::uint32_t level_ = 0;             // of the cells, from 0
  std::vector<std::uint32_t> cell_of_;  // per point
  std::vector<Cell> cells_;             // by node
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> occupied_;  // cells of the current grouping
  std::uint64_t cycle_ = 0;
};

}  // namespace haptic
