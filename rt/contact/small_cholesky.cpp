#include "rt/contact/small_cholesky.h"

#include <algorithm>
#include <bit>

#include "rt/contact/block_pattern.h"
#include "shared/assert.h"
#include "shared/math/double4.h"

namespace haptic {

using simd::Double4;
using simd::load4;
using simd::store4;

SmallCholesky::SmallCholesky(std::uint32_t unknowns)
    : unknowns_(unknowns),
      padded_((unknowns + kBlock - 1) / kBlock * kBlock),
      stride_(padded_ + kBlock),
      words_((padded_ / kBlock + 63) / 64),
      dense_(words_ * (padded_ / kBlock)),
      tiles_(dense_) {
  static_assert(kRightHandSides <= kBlock);
  for (std::size_t i = 0; i < padded_ / kBlock; ++i) {
    for (std::size_t k = 0; k <= i; ++k) dense_[words_ * i + k / 64] |= std::uint64_t{1} << k % 64;
  }
  values_.resize(stride_ * padded_);
  diagonal_.resize(padded_);
  solution_.resize(padded_);
  scaled_.resize(kBlock * padded_);
}

void SmallCholesky::set_unknowns(std::uint32_t unknowns) HAPTIC_REALTIME {
  HAPTIC_ASSERT(unknowns <= diagonal_.size());
  unknowns_ = unknowns;
  padded_ = (unknowns + kBlock - 1) / kBlock * kBlock;
  stride_ = padded_ + kBlock;
}

/// Rows of no right-hand side, too: what is left there would shrink to denormal numbers.
void SmallCholesky::clear(std::span<const std::uint64_t> tiles) HAPTIC_REALTIME {
  tiles_ = tiles.empty() ? Words(dense_) : tiles;
  const auto clear_tile = [&](std::size_t i, std::size_t k) HAPTIC_REALTIME {
    for (std::size_t c = 0; c < kBlock; ++c) {
      store4(Double4{}, values_.data() + stride_ * (kBlock * k + c) + kBlock * i);
    }
  };
  for (std::size_t i = 0; i < padded_ / kBlock; ++i) {
    for_each_bit(row(i), [&](std::uint32_t k) HAPTIC_REALTIME { clear_tile(i, k); });
    clear_tile(padded_ / kBlock, i);
  }
  for (std::size_t j = unknowns_; j < padded_; ++j) values_[stride_ * j + j] = 1.0;
}

void SmallCholesky::set_right_hand_side(std::uint32_t k, const double* b) HAPTIC_REALTIME {
  for (std::uint32_t j = 0; j < unknowns_; ++j) values_[stride_ * j + padded_ + k] = b[j];
}

void SmallCholesky::remove(std::uint32_t first, std::uint32_t count) HAPTIC_REALTIME {
  for (std::size_t j = first; j < first + count; ++j) {
    for (std::size_t k = 0; k < j; ++k) values_[stride_ * k + j] = 0.0;
    double* const column = values_.data() + stride_ * j;
    std::fill(column + j, column + stride_, 0.0);
    column[j] = 1.0;
  }
}

/// L and D of a diagonal block.
bool SmallCholesky::factor_block(std::size_t first,
                                 const double (&block)[kBlock][kBlock]) HAPTIC_REALTIME {
  for (std::size_t c = 0; c < kBlock; ++c) {
    double pivot = block[c][c];
    for (std::size_t k = 0; k < c; ++k) {
      pivot -= lower_[c][k] * lower_[c][k] * diagonal_[first + k];
    }
    if (!(pivot > 0.0)) return false;
    diagonal_[first + c] = pivot;
    for (std::size_t r = c + 1; r < kBlock; ++r) {
      double value = block[c][r];
      for (std::size_t k = 0; k < c; ++k) {
        value -= lower_[r][k] * lower_[c][k] * diagonal_[first + k];
      }
      lower_[r][c] = value / pivot;
    }
  }
  return true;
}

bool SmallCholesky::factor() HAPTIC_REALTIME {
  for (std::size_t tile = 0; tile < padded_ / kBlock; ++tile) {
    if (!eliminate(tile)) return false;
  }
  return true;
}

/// The four columns of a tile of L.
bool SmallCholesky::eliminate(std::size_t tile) HAPTIC_REALTIME {
  const std::size_t first = kBlock * tile, last_word = tile / 64;
  const Words own = row(tile);
  // Of a word of a row: the tiles left of this one.
  const auto left_of = [&](std::size_t word, std::uint64_t bits) HAPTIC_REALTIME {
    return word < last_word ? bits : bits & ((std::uint64_t{1} << tile % 64) - 1);
  };
  double* columns[kBlock];
  for (std::size_t c = 0; c < kBlock; ++c) columns[c] = values_.data() + stride_ * (first + c);
  for (std::size_t w = 0; w <= last_word; ++w) {
    for (std::uint64_t bits = left_of(w, own[w]); bits != 0; bits &= bits - 1) {
      const std::size_t from = kBlock * (64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
      for (std::size_t k = from; k < from + kBlock; ++k) {
        for (std::size_t c = 0; c < kBlock; ++c) {
          scaled_[kBlock * k + c] = diagonal_[k] * values_[stride_ * k + first + c];
        }
      }
    }
  }
  const std::size_t tiles = padded_ / kBlock;
  for (std::size_t t = tile; t <= tiles; ++t) {
    // The right-hand sides are below all rows of tiles.
    const bool is_load = t == tiles;
    const Words other = is_load ? own : row(t);
    if (!is_load && (other[last_word] >> tile % 64 & 1u) == 0) continue;
    const std::size_t i = kBlock * t;
    Double4 a = load4(columns[0] + i), b = load4(columns[1] + i), c = load4(columns[2] + i),
            d = load4(columns[3] + i);
    for (std::size_t w = 0; w <= last_word; ++w) {
      for (std::uint64_t bits = left_of(w, own[w] & other[w]); bits != 0; bits &= bits - 1) {
        const std::size_t from =
            kBlock * (64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
        const double* left = values_.data() + stride_ * from + i;
        const double* factor = scaled_.data() + kBlock * from;
        for (std::size_t k = 0; k < kBlock; ++k, left += stride_, factor += kBlock) {
          const Double4 l = load4(left);
          a -= factor[0] * l;
          b -= factor[1] * l;
          c -= factor[2] * l;
          d -= factor[3] * l;
        }
      }
    }
    if (t == tile) {
      double block[kBlock][kBlock];
      store4(a, block[0]);
      store4(b, block[1]);
      store4(c, block[2]);
      store4(d, block[3]);
      if (!factor_block(first, block)) return false;
      continue;
    }
    b -= lower_[1][0] * a;
    c -= lower_[2][0] * a + lower_[2][1] * b;
    d -= lower_[3][0] * a + lower_[3][1] * b + lower_[3][2] * c;
    store4(a / diagonal_[first], columns[0] + i);
    store4(b / diagonal_[first + 1], columns[1] + i);
    store4(c / diagonal_[first + 2], columns[2] + i);
    store4(d / diagonal_[first + 3], columns[3] + i);
  }
  for (std::size_t c = 0; c < kBlock; ++c) {
    for (std::size_t r = c + 1; r < kBlock; ++r) columns[c][first + r] = lower_[r][c];
  }
  return true;
}

double SmallCholesky::energy(std::uint32_t k) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t j = 0; j < unknowns_; ++j) {
    const double y = values_[stride_ * j + padded_ + k];
    sum += diagonal_[j] * y * y;
  }
  return sum;
}

/// The row below is D^-1 L^-1 b.
void SmallCholesky::solve(std::uint32_t k, double* x) HAPTIC_REALTIME {
  for (std::size_t j = 0; j < padded_; ++j) solution_[j] = values_[stride_ * j + padded_ + k];
  substitute_back(x);
}

void SmallCholesky::solve(double* x) HAPTIC_REALTIME {
  std::copy_n(x, unknowns_, solution_.data());
  std::fill(solution_.data() + unknowns_, solution_.data() + padded_, 0.0);
  for (std::size_t first = 0; first < padded_; first += kBlock) {
    const double* columns[kBlock];
    for (std::size_t c = 0; c < kBlock; ++c) columns[c] = values_.data() + stride_ * (first + c);
    double* const y = solution_.data() + first;
    for (std::size_t c = 1; c < kBlock; ++c) {
      for (std::size_t k = 0; k < c; ++k) y[c] -= columns[k][first + c] * y[k];
    }
    const std::size_t tile = first / kBlock;
    for (std::size_t i = first + kBlock; i < padded_; i += kBlock) {
      if ((row(i / kBlock)[tile / 64] >> tile % 64 & 1u) == 0) continue;
      Double4 left = load4(solution_.data() + i);
      for (std::size_t c = 0; c < kBlock; ++c) left -= y[c] * load4(columns[c] + i);
      store4(left, solution_.data() + i);
    }
  }
  for (std::size_t j = 0; j < padded_; ++j) solution_[j] /= diagonal_[j];
  substitute_back(x);
}

/// L^T x = y, where y is in solution_.
void SmallCholesky::substitute_back(double* x) HAPTIC_REALTIME {
  for (std::size_t first = padded_; first > 0;) {
    first -= kBlock;
    const double* columns[kBlock];
    for (std::size_t c = 0; c < kBlock; ++c) columns[c] = values_.data() + stride_ * (first + c);
    Double4 sums[kBlock] = {};
    const std::size_t tile = first / kBlock;
    for (std::size_t i = first + kBlock; i < padded_; i += kBlock) {
      if ((row(i / kBlock)[tile / 64] >> tile % 64 & 1u) == 0) continue;
      const Double4 known = load4(solution_.data() + i);
      for (std::size_t c = 0; c < kBlock; ++c) sums[c] += known * load4(columns[c] + i);
    }
    for (std::size_t c = kBlock; c-- > 0;) {
      double value = solution_[first + c] - simd::sum(sums[c]);
      for (std::size_t r = c + 1; r < kBlock; ++r) {
        value -= columns[c][first + r] * solution_[first + r];
      }
      solution_[first + c] = value;
    }
  }
  std::copy_n(solution_.data(), unknowns_, x);
}

}  // namespace haptic
