#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace haptic {

/// Orbits of multisets of two, three and four lanes of a vector under cyclic rotation of the lanes;
/// one representative per orbit, which contains lane 0. Lane s of a vector of coefficients belongs
/// to the representative rotated by s, so that an orbit of kLanes multisets fills the vector.
///
/// Pairs are (0, d), d = 0 .. kLanes / 2. A few orbits have fewer than kLanes multisets, for
/// example that of (0, kLanes / 2); they use the first lanes only.
template <std::size_t kLanes>
struct LaneOrbits {
  /// Lanes 0, a, b with a <= b.
  struct Triple {
    std::size_t a, b;
  };
  /// The lanes of a triple, and d.
  struct Quad {
    std::size_t triple, d;
    std::size_t size;  ///< number of distinct rotations, from rotation 0 on
  };

  static constexpr std::size_t kPairs = kLanes / 2 + 1;
  static constexpr std::size_t kTriples = (kLanes + 1) * (kLanes + 2) / 6;  // orbits of size kLanes
  static constexpr std::size_t kQuads = kLanes == 8 ? 43 : 10;  // checked by the constructor
  static_assert(kLanes == 4 || kLanes == 8);

  std::array<Triple, kTriples> triples{};
  std::array<Quad, kQuads> quads{};
  std::size_t largest = 0;  ///< largest lane in any triple

  static constexpr std::size_t pair_size(std::size_t d) {
    return 2 * d == kLanes ? kLanes / 2 : kLanes;
  }

  /// Evaluated at compile time only.
  consteval LaneOrbits() {
    std::size_t triple_count = 0, quad_count = 0;
    for (std::size_t b = 0; b < kLanes; ++b) {
      for (std::size_t a = 0; a <= b; ++a) {
        bool known = false;
        for (std::size_t t = 0; t < triple_count; ++t) {
          known |= turns(lanes_of(triples[t]), lanes_of(Triple{a, b})) < kLanes;
        }
        if (!known) triples.at(triple_count++) = {a, b}, largest = b;
      }
    }
    for (std::size_t t = 0; t < triple_count; ++t) {
      for (std::size_t d = 0; d < kLanes; ++d) {
        const Multiset lanes = lanes_of(Quad{t, d, 0});
        bool known = false;
        for (std::size_t q = 0; q < quad_count; ++q) {
          known |= turns(lanes_of(quads[q]), lanes) < kLanes;
        }
        if (!known) quads.at(quad_count++) = {t, d, 1 + turns(turned(lanes), lanes)};
      }
    }
    // A count that differs from the constants above is a compile error (not a constant expression).
    if (triple_count != kTriples || quad_count != kQuads) throw "count of orbits";
  }

 private:
  /// Count of each lane, four bits per lane.
  using Multiset = std::uint32_t;

  static constexpr Multiset lane(std::size_t s) { return Multiset{1} << (4 * s); }
  static constexpr Multiset lanes_of(const Triple& triple) {
    return lane(0) + lane(triple.a) + lane(triple.b);
  }
  constexpr Multiset lanes_of(const Quad& quad) const {
    return lanes_of(triples[quad.triple]) + lane(quad.d);
  }

  static constexpr Multiset turned(Multiset lanes) {
    constexpr std::size_t kLast = 4 * (kLanes - 1);
    return (lanes & (lane(kLanes - 1) - 1)) << 4 | lanes >> kLast;
  }
  /// Number of rotations by one lane that change `from` to `to`; kLanes if there is none.
  static constexpr std::size_t turns(Multiset from, Multiset to) {
    std::size_t count = 0;
    for (; count < kLanes && from != to; ++count) from = turned(from);
    return count;
  }
};

}  // namespace haptic
