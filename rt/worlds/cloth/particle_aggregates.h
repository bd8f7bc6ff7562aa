#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haptic::cloth {

/// Groups of particles that lie together, for the coarse space of a solver.
///
/// A group never joins particles that no chain of springs joins. Each has the particles that are
/// nearest to its seed; seeds begin far from each other and go to the middle of their groups three
/// times. Groups are numbered so that neighbours have near numbers (reverse Cuthill-McKee).
/// Source: docs/methods/cloth.md, "Preconditioner"; Bell 2008, Lloyd aggregation.
struct ParticleAggregates {
  std::vector<std::uint32_t> of;               ///< group of each particle
  std::vector<std::uint32_t> component;        ///< of each group, what springs join, from 0
  std::vector<std::uint32_t> first_neighbour;  ///< of each group: its least neighbour, or itself

  /// @param first, second  particles of the springs
  /// @param count          of groups, unless there are more components
  ParticleAggregates(std::size_t particles, std::span<const std::uint32_t> first,
                     std::span<const std::uint32_t> second, std::size_t count);

  std::size_t size() const { return component.size(); }
};

}  // namespace haptic::cloth
