// Per-target include: the coefficients of one bundle that have three or four indices in it, and the
// bundle's part of the Hessian (what is summed, and why: quartic_kernels.cpp).
#if defined(HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_
#undef HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_
#else
#define HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_
#endif

#include <array>
#include <cstdint>

#include "rt/dynamics/lane_orbits.h"
#include "rt/dynamics/lanes-inl.h"
#include "rt/dynamics/quartic_layout.h"
#include "rt/dynamics/quartic_stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

/// Lane s of the result is lane s + by of v, round in a circle.
HWY_INLINE Lanes turned(Lanes v, std::size_t by) {
  alignas(64) static constexpr auto kLaneOf = [] {
    std::array<std::array<std::int64_t, kLanes>, kLanes> lane_of{};
    for (std::size_t turn = 0; turn < kLanes; ++turn) {
      for (std::size_t s = 0; s < kLanes; ++s) {
        lane_of[turn][s] = static_cast<std::int64_t>((s + turn) % kLanes);
      }
    }
    return lane_of;
  }();
  return hn::TableLookupLanes(v, hn::SetTableIndices(kTag, kLaneOf[by % kLanes].data()));
}
/// The opposite of `turned`.
HWY_INLINE Lanes turned_back(Lanes v, std::size_t by) {
  return turned(v, kLanes - by);
}

/// Sums over the coefficients within a bundle, lane s of each for the lanes turned by s.
struct OwnSums {
  alignas(64) double x[kLanes * kLanes];                  ///< x of the bundle turned by each lane
  alignas(64) double products[kLanes * kLanes * kLanes];  ///< of lanes a and b >= a at a kLanes + b
  alignas(64) double triples[kOrbits.kTriples * kLanes];  ///< c times the fourth x
  alignas(64) double pairs[kPairs * kLanes * kLanes];  ///< Hessian: distance d at d kLanes + lane

  HWY_INLINE Lanes turned_x(std::size_t a) const { return load(x + a * kLanes); }
  HWY_INLINE Lanes product(std::size_t a, std::size_t b) const {
    return load(products + (a < b ? a * kLanes + b : b * kLanes + a) * kLanes);
  }
  /// Adds to the Hessian of lanes a and b.
  HWY_INLINE void add_to_pair(std::size_t a, std::size_t b, Lanes c, Lanes factor) {
    const std::size_t apart = (b + kLanes - a) % kLanes;
    double* at =
        pairs + (apart <= kLanes / 2 ? apart * kLanes + a : (kLanes - apart) * kLanes + b) * kLanes;
    store(hn::MulAdd(c, factor, load(at)), at);
  }
};

HWY_INLINE void start_own(Lanes x, OwnSums& own) {
  Lanes x_turned[kLanes];
  HAPTIC_UNROLL for (std::size_t a = 0; a < kLanes; ++a) {
    x_turned[a] = turned(x, a);
    store(x_turned[a], own.x + a * kLanes);
    HAPTIC_UNROLL for (std::size_t b = 0; b <= a; ++b) {
      store(hn::Mul(x_turned[b], x_turned[a]), own.products + (b * kLanes + a) * kLanes);
    }
  }
  HAPTIC_UNROLL for (std::size_t t = 0; t < kOrbits.kTriples; ++t) {
    store(hn::Zero(kTag), own.triples + t * kLanes);
  }
  HAPTIC_UNROLL for (std::size_t p = 0; p < kPairs * kLanes; ++p) {
    store(hn::Zero(kTag), own.pairs + p * kLanes);
  }
}

template <class Coefficient>
HWY_INLINE const Coefficient* stream_quads(const Coefficient* c, OwnSums& own) {
  HAPTIC_UNROLL for (std::size_t q = 0; q < kOrbits.kQuads; ++q) {
    const std::size_t t = kOrbits.quads[q].triple, d = kOrbits.quads[q].d;
    const std::size_t a = kOrbits.triples[t].a, b = kOrbits.triples[t].b;
    Lanes v = load(c + q * kLanes);
    keep(v);
    double* triple = own.triples + t * kLanes;
    store(hn::MulAdd(v, own.turned_x(d), load(triple)), triple);
    own.add_to_pair(0, d, v, own.product(a, b));
    own.add_to_pair(a, d, v, own.product(0, b));
    own.add_to_pair(b, d, v, own.product(0, a));
  }
  return c + kOrbits.kQuads * kLanes;
}

/// Where a bundle's rows and columns of the Hessian go and what they take.
struct OwnRows {
  const Bundle* bundle;     ///< its sums of pairs
  const double* gradients;  ///< of each outside index
  const double* dots;       ///< of the bundle's first index and the dots' row 0
  std::size_t dots_first;   ///< the dots' row of outside index 0
  double* hessian;          ///< column 0 of the bundle in row 0 of its outside indices
  std::size_t stride;
};

/// Lines of triples with the outside indices [l0, l0 + kWidth), and with them complete the columns
/// of the bundle in the rows of those indices.
template <std::size_t kWidth, bool kFirst, class Coefficient>
HWY_NOINLINE const Coefficient* stream_triples(const Coefficient* c, const OwnRows rows,
                                               std::size_t l0, OwnSums& own) {
  constexpr std::size_t kTurns = kOrbits.largest + 1 > kPairs ? kOrbits.largest + 1 : kPairs;
  const Bundle& bundle = *rows.bundle;
  Lanes x[kWidth], sum[kWidth][kTurns];
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    x[i] = load(bundle.outside + (l0 + i) * kLanes);
    HAPTIC_UNROLL for (std::size_t turn = 0; turn < kTurns; ++turn) sum[i][turn] = hn::Zero(kTag);
  }
  HAPTIC_UNROLL for (std::size_t t = 0; t < kOrbits.kTriples; ++t) {
    const std::size_t a = kOrbits.triples[t].a, b = kOrbits.triples[t].b;
    const Lanes ab = own.product(a, b), ob = own.product(0, b), oa = own.product(0, a);
    Lanes triple = load(own.triples + t * kLanes);
    HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i, c += kLanes) {
      Lanes v = load(c);
      keep(v);
      triple = hn::MulAdd(v, x[i], triple);
      sum[i][0] = hn::MulAdd(v, ab, sum[i][0]);
      sum[i][a] = hn::MulAdd(v, ob, sum[i][a]);
      sum[i][b] = hn::MulAdd(v, oa, sum[i][b]);
    }
    store(triple, own.triples + t * kLanes);
  }
  const Lanes half = all(0.5);
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    const std::size_t l = l0 + i;
    const double* column = bundle.sums + column_at(l);
    // Half the gradient of what is of order three outside is its part of the Hessian; pairs, of
    // order two, are in the gradient once, and half of that is missing.
    Lanes total = load(rows.gradients + l * kLanes);
    HAPTIC_UNROLL for (std::size_t d = 0; d < kPairs; ++d) {
      const Lanes pair = load(column + d * kLanes);
      total = hn::MulAdd(pair, own.turned_x(d), total);
      sum[i][d] = hn::MulAdd(pair, own.turned_x(0), sum[i][d]);
      own.add_to_pair(0, d, hn::Mul(half, x[i]), pair);
    }
    total = hn::MulAdd(half, total, sum[i][0]);
    HAPTIC_UNROLL for (std::size_t turn = 1; turn < kTurns; ++turn) {
      total = hn::Add(total, turned_back(sum[i][turn], turn));
    }
    if constexpr (!kFirst) {
      const std::size_t row = rows.dots_first + l;
      total = hn::Add(total, sums_of(rows.dots + row * (row + 1) / 2 * kLanes, kLanes));
    }
    store(total, rows.hessian + l * rows.stride);
  }
  return c;
}

/// The rows of the bundle's own indices, as many as there are.
template <bool kFirst>
HWY_NOINLINE void store_own(OwnSums& own, const OwnRows rows, double* hessian, std::size_t count) {
  HAPTIC_UNROLL for (std::size_t t = 0; t < kOrbits.kTriples; ++t) {
    const std::size_t a = kOrbits.triples[t].a, b = kOrbits.triples[t].b;
    const Lanes triple = load(own.triples + t * kLanes);
    own.add_to_pair(0, a, triple, own.turned_x(b));
    own.add_to_pair(0, b, triple, own.turned_x(a));
    own.add_to_pair(a, b, triple, own.turned_x(0));
  }
  alignas(64) double pair[kPairs * kLanes];
  HAPTIC_UNROLL for (std::size_t d = 0; d < kPairs; ++d) {
    Lanes sum = load(own.pairs + d * kLanes * kLanes);
    HAPTIC_UNROLL for (std::size_t a = 1; a < kLanes; ++a) {
      sum = hn::Add(sum, turned_back(load(own.pairs + (d * kLanes + a) * kLanes), a));
    }
    store(sum, pair + d * kLanes);
  }
  for (std::size_t j = 0; j < count; ++j) {
    alignas(64) double row[kLanes] = {};
    for (std::size_t i = 0; i <= j; ++i) {
      const std::size_t d = j - i;
      row[i] = d <= kLanes / 2 ? pair[d * kLanes + i] : pair[(kLanes - d) * kLanes + j];
      // Half a turn apart, each is the other's partner.
      if (2 * d == kLanes) row[i] += pair[d * kLanes + j];
    }
    Lanes total = load(row);
    if constexpr (!kFirst) {
      const std::size_t at = rows.dots_first - kLanes + j;
      const Lanes dots = sums_of(rows.dots + at * (at + 1) / 2 * kLanes, kLanes);
      total = hn::Add(total, hn::IfThenElseZero(hn::FirstN(kTag, j + 1), dots));
    }
    store(total, hessian + j * rows.stride);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
