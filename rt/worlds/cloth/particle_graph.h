#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haptic::cloth {

/// Which particles are joined, and orders of them. Outside the loop.
/// Source: George & Liu 1981, chapter 4.
class ParticleGraph {
 public:
  /// @param first, second  particles of the pairs; a pair may come more than once
  ParticleGraph(std::size_t particles, std::span<const std::uint32_t> first,
                std::span<const std::uint32_t> second);

  std::size_t size() const { return neighbours_.size(); }

  /// Breadth-first order of the particles that chains lead to from `starts`, those included;
  /// neighbours of few neighbours first. What is `seen` is left out, and the rest is marked.
  std::vector<std::uint32_t> levels(std::span<const std::uint32_t> starts,
                                    std::vector<bool>& seen) const;
  /// The same; each particle belongs to the start that it is nearest to. @param of  n values
  std::vector<std::uint32_t> nearest(std::span<const std::uint32_t> starts,
                                     std::span<std::uint32_t> of) const;
  std::span<const std::uint32_t> neighbours(std::uint32_t particle) const {
    return neighbours_[particle];
  }
  /// Reverse Cuthill-McKee: each component from a particle at one of its ends.
  std::vector<std::uint32_t> banded_order() const;

 private:
  std::uint32_t far_end(std::uint32_t start) const;

  std::vector<std::vector<std::uint32_t>> neighbours_;
};

}  // namespace haptic::cloth
