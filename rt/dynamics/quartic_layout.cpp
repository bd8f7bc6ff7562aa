#include "rt/dynamics/quartic_layout.h"

#include "shared/assert.h"

namespace haptic {
namespace {

// The shared chunks of a block of eight rows: rows 0, 1, 3 in the first, 2 and 4 in the second, 5,
// 6 and 7 in one each, opened when the first of them comes.
constexpr std::array<std::size_t, 8> kBinOfRow{0, 0, 1, 0, 1, 2, 3, 4};
constexpr std::array<std::size_t, 8> kLaneOfRow{0, 1, 0, 3, 3, 0, 0, 0};
constexpr std::array<bool, 8> kOpensBin{true, false, true, false, false, true, true, true};

constexpr std::size_t triangle(std::size_t i, std::size_t j) {
  return i * (i + 1) / 2 + j;
}

}  // namespace

QuarticLayout::QuarticLayout(std::uint32_t r) : n(std::size_t{r} + 1) {
  HAPTIC_DEMAND(r >= 1 && r <= kMaxReducedDimension);
  tiles = (n + kTile - 1) / kTile;
  pad = kTile * tiles - n;
  stride = (n + kChunk - 1) / kChunk * kChunk;

  std::uint32_t at = 0;
  std::array<std::uint32_t, 5> bin{};
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t m = k % 8;
    if (kOpensBin[m]) bin[kBinOfRow[m]] = at++;
    rest[k] = static_cast<std::uint32_t>(kChunk * bin[kBinOfRow[m]] + kLaneOfRow[m]);
    full[k] = at;
    at += static_cast<std::uint32_t>(k / 8);
    chunks[pad + k] = at;
  }
  // A load of a row's shared entries may reach beyond its chunk.
  pair_count = kChunk * (std::size_t{at} + 1);

  sum_count = 0;
  for (std::size_t I = 0; I < tiles; ++I) {
    sums_begin[I] = static_cast<std::uint32_t>(sum_count);
    sum_count += kTile * kChunk * chunks[kTile * I + 3];
  }
  sum_count += kChunk;

  coefficient_count = 0;
  for (std::size_t I = tiles; I-- > 0;) {
    for (std::size_t J = I + 1; J-- > 0;) {
      tile_begin_[triangle(I, J)] = static_cast<std::uint32_t>(coefficient_count);
      std::uint32_t begin = 0;
      for (int first = 0; first < 4; ++first) {
        const std::uint32_t end = chunks[kTile * J + static_cast<std::size_t>(first)];
        coefficient_count +=
            kChunk * (end - begin) * static_cast<std::size_t>(width(first, I == J));
        begin = end;
      }
    }
  }
}

std::size_t QuarticLayout::position(std::size_t i, std::size_t j, std::size_t k,
                                    std::size_t l) const {
  const std::size_t entry = k / 8 == l / 8 ? rest[k] + l % 8 : kChunk * (full[k] + l / 8) + l % 8;
  const std::size_t t = entry / kChunk;
  const std::size_t I = (i + pad) / kTile, J = (j + pad) / kTile;
  const bool diagonal = I == J;
  std::size_t at = tile_begin_[triangle(I, J)], begin = 0;
  int first = 0;
  for (; t >= chunks[kTile * J + static_cast<std::size_t>(first)]; ++first) {
    const std::size_t end = chunks[kTile * J + static_cast<std::size_t>(first)];
    at += kChunk * (end - begin) * static_cast<std::size_t>(width(first, diagonal));
    begin = end;
  }
  at += kChunk * (t - begin) * static_cast<std::size_t>(width(first, diagonal));
  return at + entry % kChunk +
         kChunk *
             static_cast<std::size_t>(slot(first, diagonal, static_cast<int>((i + pad) % kTile),
                                           static_cast<int>((j + pad) % kTile)));
}

}  // namespace haptic
