#include "rt/dynamics/leading_coefficients.h"

#include <array>

#include "shared/assert.h"

namespace haptic {

LeadingCoefficients::LeadingCoefficients(const QuarticLayout& whole, const QuarticPlaces& places,
                                         SimdTarget target, std::uint32_t kept)
    : layout_(kept, target) {
  HAPTIC_DEMAND(layout_.n <= whole.n && layout_.lanes == whole.lanes);
  const std::size_t lanes = layout_.lanes, last_bundle = (layout_.bundles - 1) * lanes;
  const auto all = quartic_indices(layout_);
  const auto offset = [&](const std::array<std::uint8_t, 4>& index) {
    if (index[3] == layout_.n) return kUnused;
    // The homogeneous coordinate has the last index of each layout.
    const auto in_whole = [&](std::size_t m) {
      return index[m] == layout_.n - 1 ? whole.n - 1 : std::size_t{index[m]};
    };
    return static_cast<std::uint32_t>(places(in_whole(3), in_whole(2), in_whole(1), in_whole(0)));
  };
  // Bundles are in ascending order; the first lane of a line before the last bundle is in use.
  std::size_t at = 0;
  for (; at < all.size() && all[at][0] < last_bundle; at += lanes) {
    const std::uint32_t first = offset(all[at]);
    HAPTIC_DEMAND(first % lanes == 0);
    for (std::uint32_t s = 1; s < lanes; ++s) {
      HAPTIC_DEMAND(all[at + s][3] == layout_.n || offset(all[at + s]) == first + s);
    }
    lines_.push_back(first);
  }
  for (; at < all.size(); ++at) lanes_.push_back(offset(all[at]));
}

}  // namespace haptic
