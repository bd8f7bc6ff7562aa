#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>

#include "rt/worlds/cloth/collision/hierarchy_topology.h"

namespace haptic::cloth {

/// Updates of a refit by a queue that may hold a node many times (Brown's as printed): a node is
/// handled once for each dirty leaf below it. A reference to count with, never used.
inline std::size_t naive_refit_updates(const HierarchyTopology& tree,
                                       const std::vector<std::uint32_t>& dirty) {
  std::priority_queue<std::uint32_t> queue(dirty.begin(), dirty.end());
  std::size_t updates = 0;
  for (; !queue.empty(); ++updates) {
    const std::uint32_t node = queue.top();
    queue.pop();
    if (node != 0) queue.push(tree.parent(node));
  }
  return updates;
}

}  // namespace haptic::cloth
