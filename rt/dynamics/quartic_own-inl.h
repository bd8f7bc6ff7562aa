// Per-target include: the coefficients of one bundle that have three or four indices in it, and the
// bundle's part of the Hessian (formulas: quartic_kernels.cpp).
#if defined(HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_
#undef HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_
#else
#define HAPTIC_DYNAMICS_QUARTIC_OWN_INL_H_
#endif

#include <array>
#include <cstdint>

#include "rt/dynamics/lane_orbits.h"
#include "rt/dynamics/quartic_layout.h"
#include "rt/dynamics/quartic_stream-inl.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

/// Entry [turn kLanes + s] is (s + turn) mod kLanes.
constexpr std::array<std::int64_t, kLanes * kLanes> turned_lanes() {
  std::array<std::int64_t, kLanes * kLanes> lanes{};
  for (std::size_t turn = 0; turn < kLanes; ++turn) {
    for (std::size_t s = 0; s < kLanes; ++s) {
      lanes[turn * kLanes + s] = static_cast<std::int64_t>((s + turn) % kLanes);
    }
  }
  return lanes;
}
alignas(64) constexpr auto kTurnedLanes = turned_lanes();

/// Lane s of the result is lane (s + by) mod kLanes of v.
HWY_INLINE Lanes turned(Lanes v, std::size_t by) {
  const std::int64_t* lanes = kTurnedLanes.data() + by % kLanes * kLanes;
  return hn::TableLookupLanes(v, hn::SetTableIndices(kTag, lanes));
}
/// Inverse of `turned`.
HWY_INLINE Lanes turned_back(Lanes v, std::size_t by) {
  return turned(v, kLanes - by);
}

/// Number of lanes that triples use, from lane 0 on.
constexpr std::size_t kReach = kOrbits.largest + 1;
/// Vectors that are rotated back and summed into one row of the Hessian.
constexpr std::size_t kTurns = kReach > kPairs ? kReach : kPairs;

/// Sums within one bundle; lane s of each belongs to the lanes rotated by s.
struct OwnSums {
  alignas(64) double x[kLanes * kLanes];                  ///< x of the bundle, rotated by each lane
  alignas(64) double products[kReach * kReach * kLanes];  ///< x_a x_b, a <= b, at a kReach + b
  alignas(64) double triples[kOrbits.kTriples * kLanes];  ///< c times the fourth x
  alignas(64) double pairs[kPairs * kLanes * kLanes];     ///< Hessian, d apart, at d kLanes + lane

  HWY_INLINE Lanes turned_x(std::size_t a) const { return load(x + a * kLanes); }
  HWY_INLINE Lanes product(std::size_t a, std::size_t b) const {
    return load(products + (a < b ? a * kReach + b : b * kReach + a) * kLanes);
  }
  /// Adds c * factor to the Hessian of lanes a and b.
  HWY_INLINE void add_to_pair(std::size_t a, std::size_t b, Lanes c, Lanes factor) {
    const std::size_t apart = (b + kLanes - a) % kLanes;
    const std::size_t row = apart < kPairs ? apart * kLanes + a : (kLanes - apart) * kLanes + b;
    store(hn::MulAdd(c, factor, load(pairs + row * kLanes)), pairs + row * kLanes);
  }
};

HWY_INLINE void start_own(Lanes x, OwnSums& own) {
  Lanes x_turned[kLanes];
  HAPTIC_UNROLL for (std::size_t a = 0; a < kLanes; ++a) {
    x_turned[a] = turned(x, a);
    store(x_turned[a], own.x + a * kLanes);
    HAPTIC_UNROLL for (std::size_t b = 0; b <= a && a < kReach; ++b) {
      store(hn::Mul(x_turned[b], x_turned[a]), own.products + (b * kReach + a) * kLanes);
    }
  }
  HAPTIC_UNROLL for (std::size_t t = 0; t < kOrbits.kTriples; ++t) {
    store(hn::Zero(kTag), own.triples + t * kLanes);
  }
  HAPTIC_UNROLL for (std::size_t p = 0; p < kPairs * kLanes; ++p) {
    store(hn::Zero(kTag), own.pairs + p * kLanes);
  }
}

/// For each lane of triple t, the product of x of the other two. Coinciding lanes share the sum of
/// their products: of_0 includes of_a if a = 0, and of_a includes of_b if b = a.
struct TripleFactors {
  Lanes of_0, of_a, of_b;
};
HWY_INLINE TripleFactors factors_of(const OwnSums& own, std::size_t t) {
  const std::size_t a = kOrbits.triples[t].a, b = kOrbits.triples[t].b;
  TripleFactors f{own.product(a, b), own.product(0, b), own.product(0, a)};
  if (b == a) f.of_a = hn::Add(f.of_a, f.of_b);
  if (a == 0) f.of_0 = hn::Add(f.of_0, f.of_a);
  return f;
}

template <class Coefficient>
HWY_INLINE const Coefficient* stream_quads(const Coefficient* c, OwnSums& own) {
  HAPTIC_UNROLL_LONG for (std::size_t q = 0; q < kOrbits.kQuads; ++q) {
    const std::size_t t = kOrbits.quads[q].triple, d = kOrbits.quads[q].d;
    const std::size_t a = kOrbits.triples[t].a, b = kOrbits.triples[t].b;
    const TripleFactors f = factors_of(own, t);
    Lanes v = load(c + q * kLanes);
    keep(v);
    double* triple = own.triples + t * kLanes;
    store(hn::MulAdd(v, own.turned_x(d), load(triple)), triple);
    own.add_to_pair(0, d, v, f.of_0);
    if (a != 0) own.add_to_pair(a, d, v, f.of_a);
    if (b != a) own.add_to_pair(b, d, v, f.of_b);
  }
  return c + kOrbits.kQuads * kLanes;
}

/// Inputs and destination of a bundle's rows and columns of the Hessian.
struct OwnRows {
  const Bundle* bundle;     ///< with the sums of pairs
  const double* gradients;  ///< of each outside index
  const double* dots;       ///< row 0 of the dots, at the bundle's first index
  std::size_t dots_first;   ///< row of the dots for outside index 0
  double* hessian;          ///< first column of the bundle in the row of outside index 0
  std::size_t stride;
};

/// Adds the lines of triples with the outside indices [l0, l0 + kWidth), then stores the columns of
/// the bundle in the rows of those indices, which are now complete.
template <std::size_t kWidth, bool kFirst, class Coefficient>
HWY_NOINLINE const Coefficient* stream_triples(const Coefficient* c, const OwnRows rows,
                                               std::size_t l0, OwnSums& own) {
  const Bundle& bundle = *rows.bundle;
  Lanes x[kWidth], sum[kWidth][kTurns];
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    x[i] = load(bundle.outside + (l0 + i) * kLanes);
    HAPTIC_UNROLL for (std::size_t turn = 0; turn < kTurns; ++turn) sum[i][turn] = hn::Zero(kTag);
  }
  HAPTIC_UNROLL for (std::size_t t = 0; t < kOrbits.kTriples; ++t) {
    const std::size_t a = kOrbits.triples[t].a, b = kOrbits.triples[t].b;
    const TripleFactors f = factors_of(own, t);
    Lanes triple = load(own.triples + t * kLanes);
    HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i, c += kLanes) {
      Lanes v = load(c);
      keep(v);
      triple = hn::MulAdd(v, x[i], triple);
      sum[i][0] = hn::MulAdd(v, f.of_0, sum[i][0]);
      if (a != 0) sum[i][a] = hn::MulAdd(v, f.of_a, sum[i][a]);
      if (b != a) sum[i][b] = hn::MulAdd(v, f.of_b, sum[i][b]);
    }
    store(triple, own.triples + t * kLanes);
  }

  // Terms of degree three in the outside indices contribute half their gradient to the Hessian.
  // Pairs, of degree two, contribute their whole gradient; the other half is added here.
  const Lanes half = all(0.5);
  Lanes total[kWidth], half_x[kWidth];
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    total[i] = load(rows.gradients + (l0 + i) * kLanes);
    half_x[i] = hn::Mul(half, x[i]);
  }
  HAPTIC_UNROLL for (std::size_t d = 0; d < kPairs; ++d) {
    Lanes apart = load(own.pairs + d * kLanes * kLanes);
    HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
      Lanes pair = load(bundle.sums + column_at(l0 + i) + d * kLanes);
      keep(pair);
      total[i] = hn::MulAdd(pair, own.turned_x(d), total[i]);
      sum[i][d] = hn::MulAdd(pair, own.turned_x(0), sum[i][d]);
      apart = hn::MulAdd(pair, half_x[i], apart);
    }
    store(apart, own.pairs + d * kLanes * kLanes);
  }
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    Lanes row = hn::MulAdd(half, total[i], sum[i][0]);
    HAPTIC_UNROLL for (std::size_t turn = 1; turn < kTurns; ++turn) {
      row = hn::Add(row, turned_back(sum[i][turn], turn));
    }
    const std::size_t l = l0 + i;
    if constexpr (!kFirst) {
      const std::size_t at = rows.dots_first + l;
      row = hn::Add(row, sums_of(rows.dots + at * (at + 1) / 2 * kLanes, kLanes));
    }
    store(row, rows.hessian + l * rows.stride);
  }
  return c;
}

/// Entry [bit kLanes + s] is 1 if the lane number s has that bit set, else 0.
constexpr std::array<double, kLanes * kLanes> lanes_with_bits() {
  std::array<double, kLanes * kLanes> ones{};
  for (std::size_t bit = 1; bit < kLanes; ++bit) {
    for (std::size_t s = 0; s < kLanes; ++s) ones[bit * kLanes + s] = (s & bit) != 0 ? 1.0 : 0.0;
  }
  return ones;
}
alignas(64) constexpr auto kLanesWithBits = lanes_with_bits();

/// Stores the rows of the bundle's `count` indices.
template <bool kFirst>
HWY_NOINLINE void store_own(OwnSums& own, const OwnRows rows, double* hessian, std::size_t count) {
  HAPTIC_UNROLL for (std::size_t t = 0; t < kOrbits.kTriples; ++t) {
    const std::size_t a = kOrbits.triples[t].a, b = kOrbits.triples[t].b;
    const Lanes triple = load(own.triples + t * kLanes);
    own.add_to_pair(0, a, triple, own.turned_x(b));
    own.add_to_pair(0, b, triple, own.turned_x(a));
    own.add_to_pair(a, b, triple, own.turned_x(0));
  }
  // Lane i of row d is the Hessian of lanes i and (i + d) mod kLanes. For d > kLanes / 2 it is in
  // row kLanes - d, at the other lane of the pair.
  Lanes row[kLanes];
  HAPTIC_UNROLL for (std::size_t d = 0; d < kPairs; ++d) {
    Lanes sum = load(own.pairs + d * kLanes * kLanes);
    HAPTIC_UNROLL for (std::size_t a = 1; a < kLanes; ++a) {
      sum = hn::Add(sum, turned_back(load(own.pairs + (d * kLanes + a) * kLanes), a));
    }
    if (2 * d == kLanes) sum = hn::Add(sum, turned(sum, d));  // both lanes are in this row
    row[d] = sum;
    if (0 < d && 2 * d < kLanes) row[kLanes - d] = turned_back(sum, d);
  }
  // Lane i of row j comes from row j - i: lanes are shifted down by 1, 2 and 4 rows if their number
  // has that bit set.
  HAPTIC_UNROLL for (std::size_t bit = 1; bit < kLanes; bit *= 2) {
    const auto moves = hn::Ne(load(kLanesWithBits.data() + bit * kLanes), hn::Zero(kTag));
    Lanes moved[kLanes];
    HAPTIC_UNROLL for (std::size_t j = 0; j < kLanes; ++j) {
      moved[j] = hn::IfThenElse(moves, row[(j + kLanes - bit) % kLanes], row[j]);
    }
    HAPTIC_UNROLL for (std::size_t j = 0; j < kLanes; ++j) row[j] = moved[j];
  }
  HAPTIC_UNROLL for (std::size_t j = 0; j < kLanes; ++j) {
    if (j >= count) return;
    if constexpr (!kFirst) {
      const std::size_t at = rows.dots_first - kLanes + j;
      row[j] = hn::Add(row[j], sums_of(rows.dots + at * (at + 1) / 2 * kLanes, kLanes));
    }
    store(hn::IfThenElseZero(hn::FirstN(kTag, j + 1), row[j]), hessian + j * rows.stride);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
