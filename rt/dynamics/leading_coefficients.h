#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rt/dynamics/quartic_layout.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// Where the coefficients of an energy in its first d basis vectors are among those of all r, both
/// in the order of their QuarticLayout: for truncation while running
/// (docs/methods/reduced-dynamics.md, "Truncation").
///
/// A line of a bundle of which all indices are basis vectors of both is the same vector in both
/// layouts. One offset serves it, and copying it copies a vector. In the last bundle of d, the
/// homogeneous coordinate is one of the lanes; its lines have an offset for each lane.
/// Allocates in the constructor.
class LeadingCoefficients {
 public:
  /// @param whole   layout of the energy of dimension r  @param places  in it
  /// @param target  of `whole`
  /// @param kept    d, 1..r
  LeadingCoefficients(const QuarticLayout& whole, const QuarticPlaces& places, SimdTarget target,
                      std::uint32_t kept);

  /// Layout of the first d basis vectors.
  const QuarticLayout& layout() const HAPTIC_REALTIME { return layout_; }
  std::uint32_t dimension() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(layout_.n - 1);
  }
  /// Coefficients in the lines that are copied as they are; a multiple of layout().lanes.
  std::size_t copied() const HAPTIC_REALTIME { return lines_.size() * layout_.lanes; }
  /// Offset in the whole layout of a line of these.
  std::uint32_t line(std::size_t line) const HAPTIC_REALTIME { return lines_[line]; }
  /// The same for a coefficient behind them; kUnused: the lane is zero.
  std::uint32_t lane(std::size_t coefficient) const HAPTIC_REALTIME {
    return lanes_[coefficient - copied()];
  }
  static constexpr std::uint32_t kUnused = ~std::uint32_t{0};

 private:
  QuarticLayout layout_;
  std::vector<std::uint32_t> lines_, lanes_;
};

}  // namespace haptic
