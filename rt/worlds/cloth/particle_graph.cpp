#include "rt/worlds/cloth/particle_graph.h"

#include <algorithm>
#include <utility>

#include "shared/assert.h"

namespace haptic::cloth {

ParticleGraph::ParticleGraph(std::size_t particles, std::span<const std::uint32_t> first,
                             std::span<const std::uint32_t> second)
    : neighbours_(particles) {
  HAPTIC_DEMAND(first.size() == second.size());
  for (std::size_t p = 0; p < first.size(); ++p) {
    HAPTIC_DEMAND(first[p] < particles && second[p] < particles && first[p] != second[p]);
    neighbours_[first[p]].push_back(second[p]);
    neighbours_[second[p]].push_back(first[p]);
  }
  for (std::vector<std::uint32_t>& of : neighbours_) {
    std::ranges::sort(of);
    of.erase(std::unique(of.begin(), of.end()), of.end());
  }
}

std::vector<std::uint32_t> ParticleGraph::levels(std::span<const std::uint32_t> starts,
                                                 std::vector<bool>& seen) const {
  std::vector<std::uint32_t> order(starts.begin(), starts.end());
  for (const std::uint32_t start : starts) seen[start] = true;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::size_t begin = order.size();
    for (const std::uint32_t other : neighbours_[order[next]]) {
      if (seen[other]) continue;
      seen[other] = true;
      order.push_back(other);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(), [&](auto a, auto b) {
      return std::pair(neighbours_[a].size(), a) < std::pair(neighbours_[b].size(), b);
    });
  }
  return order;
}

std::vector<std::uint32_t> ParticleGraph::nearest(std::span<const std::uint32_t> starts,
                                                  std::span<std::uint32_t> of) const {
  std::vector<std::uint32_t> order(starts.begin(), starts.end());
  std::vector<bool> seen(size(), false);
  for (std::uint32_t k = 0; k < starts.size(); ++k) {
    seen[starts[k]] = true;
    of[starts[k]] = k;
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::uint32_t other : neighbours_[order[next]]) {
      if (seen[other]) continue;
      seen[other] = true;
      of[other] = of[order[next]];
      order.push_back(other);
    }
  }
  return order;
}

/// The end of a long way from `start`.
std::uint32_t ParticleGraph::far_end(std::uint32_t start) const {
  for (int k = 0; k < 2; ++k) {  // the last of a breadth-first order is far from its start
    std::vector<bool> seen(size(), false);
    start = levels({&start, 1}, seen).back();
  }
  return start;
}

std::vector<std::uint32_t> ParticleGraph::banded_order() const {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(size(), false);
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (seen[i]) continue;
    const std::uint32_t end = far_end(i);
    const std::vector<std::uint32_t> found = levels({&end, 1}, seen);
    order.insert(order.end(), found.begin(), found.end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace haptic::cloth
