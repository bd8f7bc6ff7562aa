#include "rt/dynamics/quartic_layout.h"

#include <algorithm>
#include <array>

#include "rt/dynamics/lane_orbits.h"
#include "shared/assert.h"

namespace haptic {
namespace {

using Indices = std::array<std::size_t, 4>;

/// Calls `line(size, indices)` for every line, in storage order: lane s < size contains the
/// coefficient of indices(s), or is unused if one of these is n or more.
template <std::size_t kLanes, class Line>
void for_each_line(const QuarticLayout& layout, Line line) {
  constexpr LaneOrbits<kLanes> orbits;
  const std::size_t block = layout.block;
  for (std::size_t bundle = 0; bundle < layout.bundles; ++bundle) {
    const auto in = [first = bundle * kLanes](std::size_t s, std::size_t lane) {
      return first + (s + lane) % kLanes;
    };
    const std::size_t first = (bundle + 1) * kLanes, end = first + layout.outside_of(bundle);

    for (const auto& quad : orbits.quads) {
      const auto& triple = orbits.triples[quad.triple];
      line(quad.size, [&](std::size_t s) {
        return Indices{in(s, 0), in(s, triple.a), in(s, triple.b), in(s, quad.d)};
      });
    }
    const auto pair = [&](std::size_t d, std::size_t l, std::size_t m) {
      line(orbits.pair_size(d), [&](std::size_t s) { return Indices{in(s, 0), in(s, d), l, m}; });
    };
    const auto one = [&](std::size_t k, std::size_t l, std::size_t m) {
      line(kLanes, [&](std::size_t s) { return Indices{in(s, 0), k, l, m}; });
    };
    // Blocks of outside indices, the incomplete one first.
    const auto after = [&](std::size_t l0) {
      return l0 == first && (end - first) % block != 0 ? first + (end - first) % block : l0 + block;
    };
    for (std::size_t m0 = first; m0 < end; m0 = after(m0)) {
      for (std::size_t l0 = first; l0 <= m0; l0 = after(l0)) {
        const auto each = [&](std::size_t k0, auto what) {
          for (std::size_t l = std::max(l0, k0); l < after(l0); ++l) {
            for (std::size_t m = l0 == m0 ? l : m0; m < after(m0); ++m) what(l, m);
          }
        };
        for (std::size_t d = 0; d < orbits.kPairs; ++d) {
          each(0, [&](std::size_t l, std::size_t m) { pair(d, l, m); });
        }
        for (std::size_t k = first; k < after(l0); ++k) {
          each(k, [&](std::size_t l, std::size_t m) { one(k, l, m); });
        }
      }
    }
    for (std::size_t l0 = first; l0 < end; l0 = after(l0)) {
      for (const auto& triple : orbits.triples) {
        for (std::size_t l = l0; l < after(l0); ++l) {
          line(kLanes, [&](std::size_t s) {
            return Indices{in(s, 0), in(s, triple.a), in(s, triple.b), l};
          });
        }
      }
    }
  }
}

template <class Line>
void for_each_line(const QuarticLayout& layout, Line line) {
  if (layout.lanes == 8) return for_each_line<8>(layout, line);
  for_each_line<4>(layout, line);
}

/// Rank of c_ijkl, i >= j >= k >= l, among the combinations with repetition; l varies fastest.
std::size_t rank(std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
  return i * (i + 1) * (i + 2) * (i + 3) / 24 + j * (j + 1) * (j + 2) / 6 + k * (k + 1) / 2 + l;
}

}  // namespace

QuarticLayout::QuarticLayout(std::uint32_t r, SimdTarget target)
    : n(std::size_t{r} + 1), lanes(lanes_of(target)), block(block_of(lanes)) {
  HAPTIC_DEMAND(r >= 1 && r <= kMaxReducedDimension);
  bundles = (n + lanes - 1) / lanes;
  stride = (n + kChunk - 1) / kChunk * kChunk;

  std::size_t lines = 0;
  for_each_line(*this, [&lines](std::size_t, auto) { ++lines; });
  coefficient_count = lanes * lines;

  const std::size_t outside = outside_of(0), pairs = lanes / 2 + 1;
  const std::size_t triangle = outside * (outside + 1) / 2;
  sum_count = lanes * (triangle + pairs * outside);
  // The last rows are read as whole vectors of dots; values beyond their end have no effect.
  dot_count = lanes * (triangle + lanes);
}

std::vector<std::array<std::uint8_t, 4>> quartic_indices(const QuarticLayout& layout) {
  const auto none = static_cast<std::uint8_t>(layout.n);
  std::vector<std::array<std::uint8_t, 4>> all(layout.coefficient_count, {none, none, none, none});
  std::size_t at = 0;
  for_each_line(layout, [&](std::size_t size, auto indices) {
    for (std::size_t s = 0; s < size; ++s) {
      Indices index = indices(s);
      std::sort(index.begin(), index.end());
      if (index[3] >= layout.n) continue;
      for (std::size_t m = 0; m < 4; ++m) all[at + s][m] = static_cast<std::uint8_t>(index[m]);
    }
    at += layout.lanes;
  });
  return all;
}

QuarticPlaces::QuarticPlaces(const QuarticLayout& layout)
    : places_(rank(layout.n - 1, layout.n - 1, layout.n - 1, layout.n - 1) + 1) {
  const auto all = quartic_indices(layout);
  for (std::size_t at = 0; at < all.size(); ++at) {
    const auto& index = all[at];
    if (index[3] == layout.n) continue;
    places_[rank(index[3], index[2], index[1], index[0])] = static_cast<std::uint32_t>(at);
  }
}

std::size_t QuarticPlaces::operator()(std::size_t i, std::size_t j, std::size_t k,
                                      std::size_t l) const {
  return places_[rank(i, j, k, l)];
}

}  // namespace haptic
