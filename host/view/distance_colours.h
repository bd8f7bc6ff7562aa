#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace haptic {

/// Red, green and blue of signed distances, in even steps from -range to range: blue inside, white
/// at the surface, orange outside; told apart without colour vision.
inline constexpr std::array<std::array<float, 3>, 5> kDistanceColours = {{{0.07F, 0.23F, 0.55F},
                                                                          {0.45F, 0.66F, 0.90F},
                                                                          {0.97F, 0.97F, 0.95F},
                                                                          {0.96F, 0.72F, 0.42F},
                                                                          {0.70F, 0.33F, 0.02F}}};
/// Iso-lines are this fraction of the range apart.
inline constexpr float kIsoLineFraction = 0.2F;

/// @param fraction of the range, -1 to 1; clamped
inline std::array<float, 3> distance_colour(float fraction) {
  const float at = 2.0F * (std::clamp(fraction, -1.0F, 1.0F) + 1.0F);
  const auto low = std::min<std::size_t>(3, static_cast<std::size_t>(at));
  std::array<float, 3> colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    const float weight = at - static_cast<float>(low);
    colour[c] = (1.0F - weight) * kDistanceColours[low][c] + weight * kDistanceColours[low + 1][c];
  }
  return colour;
}

}  // namespace haptic
