#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/simd/simd_target.h"

namespace haptic {

/// Largest reduced dimension the loop accepts.
inline constexpr std::uint32_t kMaxReducedDimension = 64;

/// Where the coefficients of a homogeneous quartic in n = r + 1 coordinates lie (q_r = 1 comes
/// last), and the sizes of one evaluation's arrays. What the kernels of quartic_kernels.h work on.
///
/// A bundle is as many consecutive indices as a vector of the instruction set has lanes; the last
/// one may reach beyond n. A coefficient belongs to the bundle of its smallest index and lies in
/// one of the lines (vectors) of that bundle, which differ in how many of its four indices are in
/// the bundle:
///   one     lane s is index s of the bundle; three outside indices k <= l <= m
///   two     a pair of lanes up to turning (lane_orbits.h); two outside indices l <= m
///   three   a triple of lanes; one outside index
///   four    a quad of lanes
/// Bundle by bundle: fours; ones and twos by columns, `block` outside indices m side by side (fewer
/// in the first, if their count is no multiple: it is the shortest); threes, outside indices side
/// by side likewise. A column meets every block of outside indices l before its own: lines of the
/// pairs, then of each k before that block, then of each k <= l within it, every time with all l
/// and m. Last come the column's own l <= m: pairs, each k before, k <= l <= m within.
struct QuarticLayout {
  static constexpr std::size_t kChunk = 8;  ///< doubles, one cache line
  static constexpr std::size_t kMaxCoordinates = kMaxReducedDimension + 1;

  static constexpr std::size_t lanes_of(SimdTarget target) {
    return target == SimdTarget::kAvx512 ? 8 : 4;
  }
  /// As many outside indices as the registers hold the sums of, squared.
  static constexpr std::size_t block_of(std::size_t lanes) { return lanes == 8 ? 3 : 2; }

  /// @param r 1..kMaxReducedDimension
  QuarticLayout(std::uint32_t r, SimdTarget target);

  std::size_t outside_of(std::size_t bundle) const {
    const std::size_t end = (bundle + 1) * lanes;
    return n > end ? n - end : 0;
  }

  std::size_t n, lanes, block, bundles;
  std::size_t stride;             ///< doubles of a Hessian row, whole chunks
  std::size_t coefficient_count;  ///< doubles, zeros between included
  std::size_t sum_count;          ///< doubles of QuarticScratch::sums
  std::size_t dot_count;          ///< doubles of QuarticScratch::dots
};

/// The place of every coefficient in a layout.
class QuarticPlaces {
 public:
  explicit QuarticPlaces(const QuarticLayout& layout);

  /// Offset of c_ijkl among the coefficients; i >= j >= k >= l, all < n.
  std::size_t operator()(std::size_t i, std::size_t j, std::size_t k, std::size_t l) const;

 private:
  std::vector<std::uint32_t> places_;  // in the order of the indices, l fastest
};

}  // namespace haptic
