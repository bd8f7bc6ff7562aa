#include "rt/contact/normal_equations.h"

#include "shared/math/double4.h"

namespace haptic {

using simd::Double4;
using simd::load4;
using simd::multiply_add;
using simd::store4;

// A segment of a row is padded, so a column has room for a vector beyond its end.
NormalEquations::NormalEquations(std::uint32_t unknowns, std::uint32_t width)
    : unknowns_(unknowns), stride_((unknowns + kLane - 1) / kLane * kLane + kLane), width_(width) {
  values_.resize(stride_ * (std::size_t{unknowns} + 1));
  combined_.resize(width_ * kMaxPending);
}

/// Pending rows have the same support.
void NormalEquations::enter(const RowSupport& support) HAPTIC_REALTIME {
  if (support_ != &support) flush();
  support_ = &support;
}

void NormalEquations::add(const RowSupport& support, const double* row, double slope,
                          double force) HAPTIC_REALTIME {
  enter(support);
  pending_[count_] = {row, slope, force};
  if (++count_ == kMaxPending) flush();
}

void NormalEquations::add(const RowSupport& support, double a, const double* u, double b,
                          const double* v, double slope, double force) HAPTIC_REALTIME {
  enter(support);
  double* const row = combined_.data() + width_ * count_;
  for (std::size_t i = 0; i < support.width; i += kLane) {
    store4(multiply_add(simd::all(a), load4(u + i), simd::all(b) * load4(v + i)), row + i);
  }
  add(support, row, slope, force);
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

/// Works in vectors of four elements, in each column from the vector with the diagonal element on.
template <std::size_t kRows>
void NormalEquations::add_rows(const Pending* pending) HAPTIC_REALTIME {
  const double* rows[kRows];
  for (std::size_t k = 0; k < kRows; ++k) rows[k] = pending[k].row;
  // To the elements of a segment, from `first` of them on.
  const auto add_to = [&](double* column, const RowSupport::Segment& segment,
                          const double(&factor)[kRows], std::size_t first) HAPTIC_REALTIME {
    double* const to = column + segment.first;
    for (std::size_t i = first; i < segment.size; i += kLane) {
      Double4 sum = load4(to + i);
      for (std::size_t k = 0; k < kRows; ++k) {
        sum = multiply_add(simd::all(factor[k]), load4(rows[k] + segment.at + i), sum);
      }
      store4(sum, to + i);
    }
  };
  double factor[kRows];
  for (std::uint32_t s = 0; s < support_->count; ++s) {
    const RowSupport::Segment& segment = support_->segments[s];
    for (std::uint32_t j = 0; j < segment.size; ++j) {
      bool any = false;
      for (std::size_t k = 0; k < kRows; ++k) {
        factor[k] = pending[k].slope * rows[k][segment.at + j];
        any = any || factor[k] != 0.0;
      }
      if (!any) continue;
      double* const to = column(segment.first + j);
      add_to(to, segment, factor, j / kLane * kLane);
      for (std::uint32_t below = s + 1; below < support_->count; ++below) {
        add_to(to, support_->segments[below], factor, 0);
      }
    }
  }
  for (std::size_t k = 0; k < kRows; ++k) factor[k] = pending[k].force;
  for (std::uint32_t s = 0; s < support_->count; ++s) {
    add_to(load(), support_->segments[s], factor, 0);
  }
}

}  // namespace haptic
