// Per-target include: the pass over the coefficients (what is summed, and why:
// quartic_kernels.cpp).
#if defined(HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_
#undef HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_
#else
#define HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_
#endif

#include "rt/dynamics/lanes-inl.h"
#include "rt/dynamics/quartic_layout.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

using Layout = QuarticLayout;
constexpr std::size_t kChunk = Layout::kChunk;
constexpr std::size_t kRow = 4 * kChunk;  // running sums of the four indices of a tile, one chunk
/// Indices of a sub-tile, as many as the registers hold.
constexpr int kSub = kLanes == 8 ? 4 : 2;

/// One tile's view of the arrays.
template <class Coefficient>
struct Tile {
  const Coefficient* c;
  const std::uint32_t* chunks;  ///< of its four j
  const double* pairs;
  double* sums_i;
  double* sums_j;
  const double* x_i;
  const double* x_j;
  double* dots;  ///< D_ij at j kRow + i kChunk
};

/// Chunks [begin, end) of sub-tile (kI, kJ) off the diagonal, of which the j from kFirst on have
/// coefficients. kAssign: the sums of the j start here.
template <int kFirst, int kI, int kJ, bool kAssign, class Coefficient>
HWY_INLINE void stream(const Tile<Coefficient>& tile, const Coefficient* HWY_RESTRICT c,
                       std::size_t begin, std::size_t end, const Lanes* x_i, const Lanes* x_j,
                       Lanes* dot) {
  Lanes d[kSub * kSub];
  HAPTIC_UNROLL for (int w = 0; w < kSub * kSub; ++w) d[w] = dot[w];
  const double* HWY_RESTRICT pairs = tile.pairs + begin * kChunk;
  double* sums_i = tile.sums_i + begin * kRow;
  double* sums_j = tile.sums_j + begin * kRow;
  for (std::size_t t = begin; t < end; ++t) {
    HAPTIC_UNROLL for (std::size_t h = 0; h < kChunk; h += kLanes) {
      const Lanes pair = load(pairs + h);
      Lanes s_i[kSub];
      HAPTIC_UNROLL for (int i = 0; i < kSub; ++i) s_i[i] = load(sums_i + 8 * (kI + i) + h);
      // Two j side by side: their chains of additions hide each other's latency.
      HAPTIC_UNROLL for (int j = 0; j < kSub; j += 2) {
        Lanes s_j[2];
        HAPTIC_UNROLL for (int g = 0; g < 2; ++g) {
          if (kJ + j + g < kFirst) continue;
          s_j[g] = kAssign ? hn::Zero(kTag) : load(sums_j + 8 * (kJ + j + g) + h);
        }
        HAPTIC_UNROLL for (int i = 0; i < kSub; ++i) {
          HAPTIC_UNROLL for (int g = 0; g < 2; ++g) {
            if (kJ + j + g < kFirst) continue;
            Lanes v = load(c + 8 * Layout::slot(kFirst, false, kI + i, kJ + j + g) + h);
            keep(v);
            d[i * kSub + j + g] = hn::MulAdd(pair, v, d[i * kSub + j + g]);
            s_j[g] = hn::MulAdd(x_i[i], v, s_j[g]);
            s_i[i] = hn::MulAdd(x_j[j + g], v, s_i[i]);
          }
        }
        HAPTIC_UNROLL for (int g = 0; g < 2; ++g) {
          if (kJ + j + g >= kFirst) store(s_j[g], sums_j + 8 * (kJ + j + g) + h);
        }
      }
      HAPTIC_UNROLL for (int i = 0; i < kSub; ++i) store(s_i[i], sums_i + 8 * (kI + i) + h);
    }
    c += 8 * Layout::width(kFirst, false);
    pairs += kChunk;
    sums_i += kRow;
    sums_j += kRow;
  }
  HAPTIC_UNROLL for (int w = 0; w < kSub * kSub; ++w) dot[w] = d[w];
}

template <int kI, int kJ, bool kAssign, class Coefficient>
HWY_INLINE const Coefficient* stream_sub_tile(const Tile<Coefficient>& tile) {
  // The first pass over a j's sums is that of the first i.
  constexpr bool kStart = kAssign && kI == 0;
  Lanes x_i[kSub], x_j[kSub], dot[kSub * kSub];
  HAPTIC_UNROLL for (int i = 0; i < kSub; ++i) x_i[i] = all(tile.x_i[kI + i]);
  HAPTIC_UNROLL for (int j = 0; j < kSub; ++j) x_j[j] = all(tile.x_j[kJ + j]);
  HAPTIC_UNROLL for (int w = 0; w < kSub * kSub; ++w) dot[w] = hn::Zero(kTag);
  const std::uint32_t* end = tile.chunks;
  const Coefficient* c = tile.c;
  stream<0, kI, kJ, kStart>(tile, c, 0, end[0], x_i, x_j, dot);
  c += 8 * Layout::width(0, false) * std::size_t{end[0]};
  if constexpr (kJ + kSub > 1) stream<1, kI, kJ, kStart>(tile, c, end[0], end[1], x_i, x_j, dot);
  c += 8 * Layout::width(1, false) * std::size_t{end[1] - end[0]};
  if constexpr (kJ + kSub > 2) stream<2, kI, kJ, kStart>(tile, c, end[1], end[2], x_i, x_j, dot);
  c += 8 * Layout::width(2, false) * std::size_t{end[2] - end[1]};
  if constexpr (kJ + kSub > 3) stream<3, kI, kJ, kStart>(tile, c, end[2], end[3], x_i, x_j, dot);
  c += 8 * Layout::width(3, false) * std::size_t{end[3] - end[2]};
  HAPTIC_UNROLL for (int i = 0; i < kSub; ++i) {
    HAPTIC_UNROLL for (int j = 0; j < kSub; ++j) {
      store(dot[i * kSub + j], tile.dots + static_cast<std::size_t>(kJ + j) * kRow +
                                   8 * static_cast<std::size_t>(kI + i));
    }
  }
  return c;
}

/// A tile off the diagonal. @returns the coefficients of the next one
template <bool kAssign, class Coefficient>
HWY_NOINLINE const Coefficient* stream_tile(const Tile<Coefficient>& tile) {
  const Coefficient* next = stream_sub_tile<0, 0, kAssign>(tile);
  if constexpr (kSub == 2) {
    stream_sub_tile<2, 0, kAssign>(tile);
    stream_sub_tile<0, 2, kAssign>(tile);
    stream_sub_tile<2, 2, kAssign>(tile);
  }
  return next;
}

/// Chunks [begin, end) of a tile on the diagonal, of which the j from kFirst on have coefficients.
template <int kFirst, bool kAssign, class Coefficient>
HWY_INLINE const Coefficient* stream_diagonal(const Tile<Coefficient>& tile,
                                              const Coefficient* HWY_RESTRICT c, std::size_t begin,
                                              std::size_t end, const Lanes* x, const Lanes* twice,
                                              Lanes* dot) {
  Lanes d[10];
  HAPTIC_UNROLL for (int w = 0; w < 10; ++w) d[w] = dot[w];
  const double* HWY_RESTRICT pairs = tile.pairs + begin * kChunk;
  double* sums = tile.sums_i + begin * kRow;
  for (std::size_t t = begin; t < end; ++t) {
    HAPTIC_UNROLL for (std::size_t h = 0; h < kChunk; h += kLanes) {
      const Lanes pair = load(pairs + h);
      Lanes s[4];
      HAPTIC_UNROLL for (int i = kFirst; i < 4; ++i) {
        s[i] = kAssign ? hn::Zero(kTag) : load(sums + 8 * i + h);
      }
      HAPTIC_UNROLL for (int j = kFirst; j < 4; ++j) {
        HAPTIC_UNROLL for (int i = j; i < 4; ++i) {
          Lanes v = load(c + 8 * Layout::slot(kFirst, true, i, j) + h);
          keep(v);
          d[i * (i + 1) / 2 + j] = hn::MulAdd(pair, v, d[i * (i + 1) / 2 + j]);
          if (i == j) {
            s[i] = hn::MulAdd(twice[i], v, s[i]);
          } else {
            s[i] = hn::MulAdd(x[j], v, s[i]);
            s[j] = hn::MulAdd(x[i], v, s[j]);
          }
        }
      }
      HAPTIC_UNROLL for (int i = kFirst; i < 4; ++i) store(s[i], sums + 8 * i + h);
    }
    c += 8 * Layout::width(kFirst, true);
    pairs += kChunk;
    sums += kRow;
  }
  HAPTIC_UNROLL for (int w = 0; w < 10; ++w) dot[w] = d[w];
  return c;
}

template <bool kAssign, class Coefficient>
HWY_NOINLINE const Coefficient* stream_diagonal_tile(const Tile<Coefficient>& tile) {
  Lanes x[4], twice[4], dot[10];
  HAPTIC_UNROLL for (int i = 0; i < 4; ++i) {
    x[i] = all(tile.x_i[i]);
    twice[i] = hn::Add(x[i], x[i]);
  }
  HAPTIC_UNROLL for (int w = 0; w < 10; ++w) dot[w] = hn::Zero(kTag);
  const std::uint32_t* end = tile.chunks;
  const Coefficient* c = tile.c;
  c = stream_diagonal<0, kAssign>(tile, c, 0, end[0], x, twice, dot);
  c = stream_diagonal<1, kAssign>(tile, c, end[0], end[1], x, twice, dot);
  c = stream_diagonal<2, kAssign>(tile, c, end[1], end[2], x, twice, dot);
  c = stream_diagonal<3, kAssign>(tile, c, end[2], end[3], x, twice, dot);
  HAPTIC_UNROLL for (std::size_t i = 0; i < 4; ++i) {
    HAPTIC_UNROLL for (std::size_t j = 0; j <= i; ++j) {
      store(dot[i * (i + 1) / 2 + j], tile.dots + j * kRow + 8 * i);
    }
  }
  return c;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
