#include "rt/contact/small_cholesky.h"

#include <algorithm>
#include <bit>

#include "rt/contact/block_pattern.h"
#include "shared/assert.h"
#include "shared/math/double4.h"

namespace haptic {

using simd::Double4;
using simd::load4;
using simd::multiply_subtract;
using simd::store4;

SmallCholesky::SmallCholesky(std::uint32_t unknowns)
    : unknowns_(unknowns),
      tiles_((unknowns + kTile - 1) / kTile),
      words_((tiles_ + 63) / 64),
      dense_(words_ * tiles_),
      all_(words_, ~std::uint64_t{0}),
      pattern_(dense_) {
  static_assert(kRightHandSides <= kTile);
  for (std::size_t i = 0; i < tiles_; ++i) {
    for (std::size_t k = 0; k <= i; ++k) dense_[words_ * i + k / 64] |= std::uint64_t{1} << k % 64;
  }
  values_.resize(kTileSize * tiles_ * (tiles_ + 1));
  diagonal_.resize(kTile * tiles_);
  solution_.resize(kTile * tiles_);
  scaled_.resize(kTileSize * tiles_);
  below_.resize(tiles_ + 1);
}

void SmallCholesky::set_unknowns(std::uint32_t unknowns) HAPTIC_REALTIME {
  HAPTIC_ASSERT(unknowns <= diagonal_.size());
  unknowns_ = unknowns;
  tiles_ = (unknowns + kTile - 1) / kTile;
}

/// Rows of no right-hand side, too: what is left there would shrink to denormal numbers.
void SmallCholesky::clear(std::span<const std::uint64_t> tiles) HAPTIC_REALTIME {
  pattern_ = tiles.empty() ? Words(dense_) : tiles;
  for (std::size_t i = 0; i < tiles_; ++i) {
    for_each_bit(row(i),
                 [&](std::uint32_t k) HAPTIC_REALTIME { std::fill_n(tile(i, k), kTileSize, 0.0); });
  }
  std::fill_n(tile(tiles_, 0), kTileSize * tiles_, 0.0);
  for (std::size_t j = unknowns_; j < kTile * tiles_; ++j) element(j, j) = 1.0;
}

void SmallCholesky::set(std::uint32_t i, std::uint32_t j,
                        std::span<const double> values) HAPTIC_REALTIME {
  double* to = &element(i, j);
  for (const double value : values) {
    *to++ = value;
    // To the next row of tiles.
    if (++i % kTile == 0) to += kTileSize * tiles_ - kTile;
  }
}

void SmallCholesky::set_row(std::uint32_t i, std::uint32_t j,
                            std::span<const double> values) HAPTIC_REALTIME {
  // The columns of a row of tiles follow each other.
  double* to = &element(i, j);
  for (const double value : values) {
    *to = value;
    to += kTile;
  }
}

void SmallCholesky::set_right_hand_side(std::uint32_t k, const double* b) HAPTIC_REALTIME {
  double* const to = tile(tiles_, 0) + k;
  for (std::uint32_t j = 0; j < unknowns_; ++j) to[kTile * j] = b[j];
}

/// Visits the tiles of a row that are left of column `end`. @param words  of the row: row()
template <class Visit>
void SmallCholesky::for_each_left(Words words, std::size_t end,
                                  Visit&& visit) const HAPTIC_REALTIME {
  const std::size_t last = end / 64;
  for (std::size_t w = 0; w <= last && w < words_; ++w) {
    std::uint64_t bits = words[w];
    if (w == last) bits &= (std::uint64_t{1} << end % 64) - 1;
    for (; bits != 0; bits &= bits - 1) {
      visit(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

/// L and D of a diagonal tile.
bool SmallCholesky::factor_tile(std::size_t k) HAPTIC_REALTIME {
  double* const values = tile(k, k);
  double* const diagonal = diagonal_.data() + kTile * k;
  for (std::size_t c = 0; c < kTile; ++c) {
    double pivot = values[kTile * c + c];
    for (std::size_t j = 0; j < c; ++j) pivot -= lower_[c][j] * lower_[c][j] * diagonal[j];
    if (!(pivot > 0.0)) return false;
    diagonal[c] = pivot;
    inverse_[c] = 1.0 / pivot;
    for (std::size_t r = c + 1; r < kTile; ++r) {
      double value = values[kTile * c + r];
      for (std::size_t j = 0; j < c; ++j) value -= lower_[r][j] * lower_[c][j] * diagonal[j];
      values[kTile * c + r] = lower_[r][c] = value * inverse_[c];
    }
  }
  return true;
}

bool SmallCholesky::factor() HAPTIC_REALTIME {
  for (std::size_t k = 0; k < tiles_; ++k) {
    if (!eliminate_column(k)) return false;
  }
  return true;
}

/// Subtracts from tiles of a column what the columns to the left of it contribute, and, below the
/// diagonal, divides by the factors of the diagonal tile.
/// @param rows  of tiles, kRows of them
template <std::size_t kRows>
void SmallCholesky::eliminate(std::size_t column, const std::uint32_t* rows) HAPTIC_REALTIME {
  Double4 sums[kRows][kTile];
  const double* left[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    left[r] = tile(rows[r], 0);
    for (std::size_t c = 0; c < kTile; ++c) {
      sums[r][c] = load4(tile(rows[r], column) + kTile * c);
    }
  }
  const std::size_t last = column / 64;
  const Words own = row(column);
  const auto subtract = [&]<std::size_t kFirst, std::size_t kEnd>(
                            std::uint64_t bits, std::size_t word) HAPTIC_REALTIME {
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t at =
          kTileSize * (64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
      const double* const factor = scaled_.data() + at;
      for (std::size_t k = 0; k < kTile; ++k) {
        for (std::size_t r = kFirst; r < kEnd; ++r) {
          const Double4 l = load4(left[r] + at + kTile * k);
          for (std::size_t c = 0; c < kTile; ++c) {
            sums[r][c] = multiply_subtract(simd::all(factor[kTile * k + c]), l, sums[r][c]);
          }
        }
      }
    }
  };
  for (std::size_t w = 0; w <= last && w < words_; ++w) {
    std::uint64_t bits = own[w];
    if (w == last) bits &= (std::uint64_t{1} << column % 64) - 1;
    const std::uint64_t first = bits & row(rows[0])[w];
    if constexpr (kRows == 1) {
      subtract.template operator()<0, 1>(first, w);
    } else {
      const std::uint64_t second = bits & row(rows[1])[w];
      subtract.template operator()<0, 2>(first & second, w);
      subtract.template operator()<0, 1>(first & ~second, w);
      subtract.template operator()<1, 2>(second & ~first, w);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    Double4(&s)[kTile] = sums[r];
    double* const to = tile(rows[r], column);
    if (rows[r] == column) {
      for (std::size_t c = 0; c < kTile; ++c) store4(s[c], to + kTile * c);
      continue;
    }
    for (std::size_t c = 0; c < kTile; ++c) {
      for (std::size_t k = 0; k < c; ++k) {
        s[c] = multiply_subtract(simd::all(lower_[c][k]), s[k], s[c]);
      }
    }
    for (std::size_t c = 0; c < kTile; ++c) store4(s[c] * simd::all(inverse_[c]), to + kTile * c);
  }
}

/// The four columns of a column of tiles of L.
bool SmallCholesky::eliminate_column(std::size_t k) HAPTIC_REALTIME {
  for_each_left(row(k), k, [&](std::size_t j) HAPTIC_REALTIME {
    const double* const from = tile(k, j);
    for (std::size_t c = 0; c < kTile; ++c) {
      store4(simd::all(diagonal_[kTile * j + c]) * load4(from + kTile * c),
             scaled_.data() + kTileSize * j + kTile * c);
    }
  });
  const auto own = static_cast<std::uint32_t>(k);
  eliminate<1>(k, &own);
  if (!factor_tile(k)) return false;
  std::size_t count = 0;
  for (std::size_t i = k + 1; i <= tiles_; ++i) {
    below_[count] = static_cast<std::uint32_t>(i);
    count += row(i)[k / 64] >> k % 64 & 1u;
  }
  std::size_t next = 0;
  for (; next + 2 <= count; next += 2) eliminate<2>(k, below_.data() + next);
  if (next < count) eliminate<1>(k, below_.data() + next);
  return true;
}

double SmallCholesky::energy(std::uint32_t k) const HAPTIC_REALTIME {
  const double* const y = tile(tiles_, 0) + k;
  double sum = 0.0;
  for (std::size_t j = 0; j < unknowns_; ++j) sum += diagonal_[j] * y[kTile * j] * y[kTile * j];
  return sum;
}

/// The row below is D^-1 L^-1 b.
void SmallCholesky::solve(std::uint32_t k, double* x) HAPTIC_REALTIME {
  const double* const y = tile(tiles_, 0) + k;
  for (std::size_t j = 0; j < kTile * tiles_; ++j) solution_[j] = y[kTile * j];
  substitute_back(x);
}

void SmallCholesky::solve(double* x) HAPTIC_REALTIME {
  std::copy_n(x, unknowns_, solution_.data());
  std::fill(solution_.data() + unknowns_, solution_.data() + kTile * tiles_, 0.0);
  for (std::size_t i = 0; i < tiles_; ++i) {
    double* const y = solution_.data() + kTile * i;
    Double4 rest = load4(y);
    for_each_left(row(i), i, [&](std::size_t k) HAPTIC_REALTIME {
      const double *const l = tile(i, k), *const known = solution_.data() + kTile * k;
      for (std::size_t c = 0; c < kTile; ++c) {
        rest = multiply_subtract(simd::all(known[c]), load4(l + kTile * c), rest);
      }
    });
    store4(rest, y);
    const double* const own = tile(i, i);
    for (std::size_t c = 1; c < kTile; ++c) {
      for (std::size_t k = 0; k < c; ++k) y[c] -= own[kTile * k + c] * y[k];
    }
  }
  for (std::size_t j = 0; j < kTile * tiles_; ++j) solution_[j] /= diagonal_[j];
  substitute_back(x);
}

/// L^T x = y, where y is in solution_.
void SmallCholesky::substitute_back(double* x) HAPTIC_REALTIME {
  for (std::size_t i = tiles_; i-- > 0;) {
    double* const own = solution_.data() + kTile * i;
    const double* const l = tile(i, i);
    for (std::size_t c = kTile; c-- > 0;) {
      for (std::size_t r = c + 1; r < kTile; ++r) own[c] -= l[kTile * c + r] * own[r];
    }
    const Double4 known = load4(own);
    for_each_left(row(i), i, [&](std::size_t k) HAPTIC_REALTIME {
      const double* const from = tile(i, k);
      double* const to = solution_.data() + kTile * k;
      // The products with the four columns, each summed over its four rows.
      const Double4 a = known * load4(from), b = known * load4(from + kTile),
                    c = known * load4(from + 2 * kTile), d = known * load4(from + 3 * kTile);
      store4(load4(to) - simd::sums(a, b, c, d), to);
    });
  }
  std::copy_n(solution_.data(), unknowns_, x);
}

}  // namespace haptic
