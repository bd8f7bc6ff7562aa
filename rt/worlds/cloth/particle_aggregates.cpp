#include "rt/worlds/cloth/particle_aggregates.h"

#include <algorithm>
#include <numeric>

#include "rt/worlds/cloth/particle_graph.h"

namespace haptic::cloth {
namespace {

/// A particle of each component, then one after the other that is farthest from all before.
std::vector<std::uint32_t> far_seeds(const ParticleGraph& graph, std::size_t count,
                                     std::vector<std::uint32_t>& component) {
  std::vector<std::uint32_t> seeds;
  std::vector<bool> seen(graph.size(), false);
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (seen[i]) continue;
    for (const std::uint32_t member : graph.levels({&i, 1}, seen)) {
      component[member] = static_cast<std::uint32_t>(seeds.size());
    }
    seeds.push_back(i);
  }
  std::vector<std::uint32_t> of(graph.size());
  while (seeds.size() < std::min(count, graph.size())) {
    seeds.push_back(graph.nearest(seeds, of).back());
  }
  return seeds;
}

/// Of each group the particle that is farthest from the others' particles, or of none of those its
/// seed.
std::vector<std::uint32_t> middles(const ParticleGraph& graph, std::vector<std::uint32_t> seeds,
                                   std::span<const std::uint32_t> of) {
  std::vector<std::uint32_t> border;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const auto neighbours = graph.neighbours(i);
    if (std::ranges::any_of(neighbours, [&](std::uint32_t j) { return of[j] != of[i]; })) {
      border.push_back(i);
    }
  }
  std::vector<bool> seen(graph.size(), false);
  for (const std::uint32_t i : graph.levels(border, seen)) seeds[of[i]] = i;
  return seeds;
}

}  // namespace

ParticleAggregates::ParticleAggregates(std::size_t particles, std::span<const std::uint32_t> first,
                                       std::span<const std::uint32_t> second, std::size_t count)
    : of(particles) {
  const ParticleGraph graph(particles, first, second);
  std::vector<std::uint32_t> particle_component(particles);
  std::vector<std::uint32_t> seeds = far_seeds(graph, count, particle_component);
  graph.nearest(seeds, of);
  for (int k = 0; k < 3; ++k) {
    seeds = middles(graph, seeds, of);
    graph.nearest(seeds, of);
  }
  // The groups' own graph, in an order of narrow bands.
  std::vector<std::uint32_t> a, b;
  for (std::size_t s = 0; s < first.size(); ++s) {
    if (of[first[s]] == of[second[s]]) continue;
    a.push_back(of[first[s]]);
    b.push_back(of[second[s]]);
  }
  const std::vector<std::uint32_t> order = ParticleGraph(seeds.size(), a, b).banded_order();
  std::vector<std::uint32_t> place(seeds.size());
  component.resize(seeds.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    place[order[k]] = k;
    component[k] = particle_component[seeds[order[k]]];
  }
  for (std::uint32_t& group : of) group = place[group];
  first_neighbour.resize(seeds.size());
  std::iota(first_neighbour.begin(), first_neighbour.end(), 0U);
  for (std::size_t s = 0; s < a.size(); ++s) {
    const auto [low, high] = std::minmax(place[a[s]], place[b[s]]);
    first_neighbour[high] = std::min(first_neighbour[high], low);
  }
}

}  // namespace haptic::cloth
