#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace haptic {

/// 8^3 samples of a grid.
struct GridBlock {
  static constexpr std::size_t kSide = 8, kSamples = kSide * kSide * kSide;

  std::unique_ptr<std::array<float, kSamples>> samples;  ///< z fastest; null: `bound` for all
  float bound = 0.0f;
};

/// A NanoVDB float grid; equal blocks give equal bytes.
/// @param blocks      across^3, x slowest
/// @param background  value beyond the blocks
std::vector<std::uint8_t> nanovdb_grid(std::span<const GridBlock> blocks, std::size_t across,
                                       float background);

}  // namespace haptic
