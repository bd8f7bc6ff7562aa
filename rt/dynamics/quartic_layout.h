#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/simd/simd_target.h"

namespace haptic {

/// Largest reduced dimension that the loop accepts.
inline constexpr std::uint32_t kMaxReducedDimension = 64;

/// Storage order of the coefficients of a homogeneous quartic in n = r + 1 coordinates (q_r = 1 is
/// the last), and the sizes of the arrays of one evaluation. For the kernels of quartic_kernels.h.
///
/// A bundle is a group of consecutive indices, one for each lane of a vector; the last bundle may
/// extend beyond n. A coefficient belongs to the bundle of its smallest index and is stored in one
/// of the lines (vectors) of that bundle. The kind of a line is the number of its four indices that
/// are in the bundle:
///   one     lane s is index s of the bundle; three outside indices k <= l <= m
///   two     a pair of lanes up to rotation (lane_orbits.h); two outside indices l <= m
///   three   a triple of lanes; one outside index
///   four    a quad of lanes
/// Order within each bundle: the fours; the ones and twos by blocks of `block` outside indices m
/// (the first block is shorter if their number is not a multiple of `block`); the threes by the
/// same blocks. A block of m goes through the blocks of outside indices l in ascending order, up to
/// itself. For each block of l come the lines of the pairs, then those of each k before the block,
/// then those of each k <= l within it, each time for all l and m of the two blocks. In the last
/// one, where both are the same block, l <= m.
struct QuarticLayout {
  static constexpr std::size_t kChunk = 8;  ///< doubles, one cache line
  static constexpr std::size_t kMaxCoordinates = kMaxReducedDimension + 1;

  static constexpr std::size_t kMaxLanes = 8;

  static constexpr std::size_t lanes_of(SimdTarget target) {
    return target == SimdTarget::kAvx512 ? 8 : 4;
  }
  /// Outside indices per block: block² sums fit into the registers.
  static constexpr std::size_t block_of(std::size_t lanes) { return lanes == 8 ? 3 : 2; }

  /// @param r 1..kMaxReducedDimension
  QuarticLayout(std::uint32_t r, SimdTarget target);

  std::size_t outside_of(std::size_t bundle) const {
    const std::size_t end = (bundle + 1) * lanes;
    return n > end ? n - end : 0;
  }

  std::size_t n, lanes, block, bundles;
  std::size_t stride;             ///< doubles of a Hessian row, whole chunks
  std::size_t coefficient_count;  ///< doubles, padding zeros included
  std::size_t sum_count;          ///< doubles of QuarticScratch::sums
  std::size_t dot_count;          ///< doubles of QuarticScratch::dots
};

/// Indices of the coefficient at every place of a layout, ascending; unused lanes have n four
/// times.
std::vector<std::array<std::uint8_t, 4>> quartic_indices(const QuarticLayout& layout);

/// Position of every coefficient in a layout.
class QuarticPlaces {
 public:
  explicit QuarticPlaces(const QuarticLayout& layout);

  /// Offset of c_ijkl among the coefficients; i >= j >= k >= l, all < n.
  std::size_t operator()(std::size_t i, std::size_t j, std::size_t k, std::size_t l) const;

 private:
  std::vector<std::uint32_t> places_;  // in the order of rank: l fastest
};

}  // namespace haptic
