#pragma once

#include <cstdint>
#include <span>

#include "rt/contact/traversal_kernels.h"
#include "rt/geometry/modal_coordinates.h"
#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;

/// Data that a visit to a tree node reads, copied in node order, so that siblings are adjacent.
///
/// A rigid node is 16 bytes, x y z R0. A deformable node has three rows of n floats, (x | U_x),
/// (y | U_y), (z | U_z); their products with (1 | q) give p_s(q). A node above the last level has
/// one more row, (R0 | a); its product with (1 | |q|) gives R(q). n = r + 1 rounded up to eight.
/// Source: docs/methods/contact-and-coupling.md, "Point tree"; Barbic 2007, Eq 3.6, 3.12.
class TraversalLayout {
 public:
  struct Children {
    std::uint32_t begin = 0;       ///< first child
    std::uint32_t count : 31 = 0;  ///< 0 for a leaf
    /// The first child has the same point as the node, and thus the same field values.
    std::uint32_t first_is_copy : 1 = 0;
  };

  /// Copies from both; neither is kept. @throws InputError if shell and tree do not match
  TraversalLayout(const PointShell& shell, const PointTree& tree);

  std::uint32_t dimension() const HAPTIC_REALTIME { return dimension_; }  ///< r
  NodePlaces places() const HAPTIC_REALTIME { return {places_.data(), row_}; }
  /// Children of a node above the last level.
  Children children(std::uint32_t node) const HAPTIC_REALTIME { return children_[node]; }
  /// Nodes above the last level.
  std::uint32_t inner_nodes() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(children_.size());
  }
  std::uint32_t point(std::uint32_t node) const HAPTIC_REALTIME { return point_[node]; }

  /// R0 and R(q) [m] of a node with children. R(q) is rounded up: it covers every point of the
  /// subtree. @param magnitudes 1, |q|, zeros, n doubles
  double rest_radius(std::uint32_t node) const HAPTIC_REALTIME {
    return row_ == 0 ? places_[4 * std::size_t{node} + 3] : radii_[row_ * std::size_t{node}];
  }
  double radius(std::uint32_t node, const double* magnitudes) const HAPTIC_REALTIME {
    if (row_ == 0) return places_[4 * std::size_t{node} + 3];
    const float* row = radii_.data() + row_ * std::size_t{node};
    simd::Double4 a{}, b{};
    for (std::uint32_t j = 0; j < row_; j += 8) {
      a += simd::load4(row + j) * simd::load4(magnitudes + j);
      b += simd::load4(row + j + 4) * simd::load4(magnitudes + j + 4);
    }
    return kRoundUp * simd::sum(a + b);
  }

  /// n, the number of doubles of (1 | q) and (1 | |q|); 0 for a rigid shell.
  std::uint32_t row() const HAPTIC_REALTIME { return row_; }
  /// Largest |P_s| [m]; for each mode the largest |U_sj|, r numbers, rounded up.
  double rest_extent() const HAPTIC_REALTIME { return rest_extent_; }
  std::span<const double> modal_extent() const HAPTIC_REALTIME { return modal_extent_; }

  /// Prefetches into cache the places of `count` nodes from `first` on, and with `have_children`
  /// their radii and children. Always inlined: g++ treats a function that only prefetches as pure
  /// and removes the call.
  [[gnu::always_inline]] void prefetch(std::uint32_t first, std::uint32_t count,
                                       bool have_children) const HAPTIC_REALTIME {
    const std::size_t floats = places().floats();
    prefetch_lines(places_.data() + floats * first, floats * count * sizeof(float));
    if (!have_children) return;
    prefetch_lines(children_.data() + first, count * sizeof(Children));
    prefetch_lines(radii_.data() + std::size_t{row_} * first, row_ * count * sizeof(float));
  }

 private:
  // Much larger than the rounding error n * 2^-53 of the sum, too small to cause more visits.
  static constexpr double kRoundUp = 1.0 + 1e-12;

  [[gnu::always_inline]] static void prefetch_lines(const void* from,
                                                    std::size_t bytes) HAPTIC_REALTIME {
    if (bytes == 0) return;
    const auto* const first = static_cast<const char*>(from);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(first + at);
    __builtin_prefetch(first + bytes - 1);
  }

  void copy_children(const PointTree& tree);

  std::uint32_t dimension_ = 0, row_ = 0;
  HugeVector<float> places_;         // nodes x 4, or nodes x 3 x n
  HugeVector<float> radii_;          // nodes above the last level x n; empty if rigid
  HugeVector<Children> children_;    // nodes above the last level
  HugeVector<std::uint32_t> point_;  // nodes
  double rest_extent_ = 0.0;
  std::vector<double> modal_extent_;
};

}  // namespace haptic
