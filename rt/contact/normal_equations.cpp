#include "rt/contact/normal_equations.h"

#include "shared/math/double4.h"

namespace haptic {

using simd::Double4;
using simd::load4;
using simd::store4;

NormalEquations::NormalEquations(std::uint32_t unknowns)
    : unknowns_(unknowns), stride_((unknowns + kLane - 1) / kLane * kLane) {
  values_.resize(stride_ * (std::size_t{unknowns} + 1));
  combined_.resize(stride_ * kMostPending);
}

void NormalEquations::add(const double* row, double slope, double force) HAPTIC_REALTIME {
  pending_[count_] = {row, slope, force};
  if (++count_ == kMostPending) flush();
}

void NormalEquations::add(double a, const double* u, double b, const double* v, double slope,
                          double force) HAPTIC_REALTIME {
  double* const row = combined_.data() + stride_ * count_;
  for (std::size_t i = 0; i < stride_; i += kLane) {
    store4(a * load4(u + i) + b * load4(v + i), row + i);
  }
  add(row, slope, force);
}

void NormalEquations::flush() HAPTIC_REALTIME {
  const Pending* next = pending_;
  std::size_t left = count_;
  if (left == 8) {
    add_rows<8>(next);
    left = 0;
  }
  for (; left >= 4; left -= 4, next += 4) add_rows<4>(next);
  for (; left >= 2; left -= 2, next += 2) add_rows<2>(next);
  if (left == 1) add_rows<1>(next);
  count_ = 0;
}

/// Works in vectors of four elements, in each column from that with the diagonal element on. The
/// row of a contact is zero except for the unknowns of its two bodies, so columns and vectors in
/// which all rows are zero are skipped.
template <std::size_t kRows>
void NormalEquations::add_rows(const Pending* pending) HAPTIC_REALTIME {
  const double* rows[kRows];
  for (std::size_t k = 0; k < kRows; ++k) rows[k] = pending[k].row;
  const auto zero_from = [&](std::size_t i) HAPTIC_REALTIME {
    for (std::size_t k = 0; k < kRows; ++k) {
      for (std::size_t j = i; j < i + kLane; ++j) {
        if (rows[k][j] != 0.0) return false;
      }
    }
    return true;
  };
  std::size_t end = stride_;
  while (end > 0 && zero_from(end - kLane)) end -= kLane;
  const auto add_to = [&](double* column, const double(&factor)[kRows], std::size_t first)
                          HAPTIC_REALTIME {
                            for (std::size_t i = first; i < end; i += kLane) {
                              Double4 sum = load4(column + i);
                              for (std::size_t k = 0; k < kRows; ++k) {
                                sum += factor[k] * load4(rows[k] + i);
                              }
                              store4(sum, column + i);
                            }
                          };
  double factor[kRows];
  for (std::uint32_t j = 0; j < unknowns_; ++j) {
    bool any = false;
    for (std::size_t k = 0; k < kRows; ++k) {
      factor[k] = pending[k].slope * rows[k][j];
      any = any || factor[k] != 0.0;
    }
    if (any) add_to(column(j), factor, j / kLane * kLane);
  }
  for (std::size_t k = 0; k < kRows; ++k) factor[k] = pending[k].force;
  add_to(load(), factor, 0);
}

}  // namespace haptic
