#include "rt/dynamics/reduced_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "rt/dynamics/checked_coefficients.h"
#include "rt/dynamics/leading_coefficients.h"
#include "rt/dynamics/quartic_kernels.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kEnergyName = "reduced energy";

/// Number of distinct permutations of an ascending multi-index.
double permutations(std::span<const std::size_t> index) {
  double count = 1.0, run = 1.0;
  for (std::size_t m = 1; m < index.size(); ++m) {
    run = index[m] == index[m - 1] ? run + 1.0 : 1.0;
    count *= static_cast<double>(m + 1) / run;
  }
  return count;
}

/// The lines of coefficients [first, end) of the weighted sum of the rows.
template <std::size_t kLanes, class Number>
void add_lines(const LeadingCoefficients& leading, std::span<const double* const> rows,
               std::span<const double> weights, std::size_t first, std::size_t end,
               Number* to) HAPTIC_REALTIME {
  for (std::size_t t = first; t < end; t += kLanes) {
    const std::size_t from = leading.line(t / kLanes);
    std::array<double, kLanes> sum{};
    for (std::size_t g = 0; g < rows.size(); ++g) {
      const double* const row = rows[g] + from;
      for (std::size_t s = 0; s < kLanes; ++s) sum[s] += weights[g] * row[s];
    }
    for (std::size_t s = 0; s < kLanes; ++s) to[t + s] = static_cast<Number>(sum[s]);
  }
}

/// Writes (q, 1) to x; the padding behind it stays zero.
void homogenise(std::span<const double> q, double* x) HAPTIC_REALTIME {
  std::copy(q.begin(), q.end(), x);
  x[q.size()] = 1.0;
}

}  // namespace

ReducedEnergy::ReducedEnergy(std::uint32_t r, std::span<const double> quadratic,
                             std::span<const double> cubic, std::span<const double> quartic,
                             CoefficientStorage storage)
    : r_(r),
      storage_(storage),
      simd_(simd_target()),
      kernels_(&quartic_kernels(simd_)),
      layout_(checked_dimension(kEnergyName, r), simd_),
      coefficients_(layout(r, quadratic, cubic, quartic)) {
  if (storage == CoefficientStorage::kDouble) return;
  for (double c : coefficients_) {
    if (!(std::abs(c) <= static_cast<double>(std::numeric_limits<float>::max()))) {
      throw InputError(kEnergyName, "storage", fmt::format("found a coefficient of {}", c),
                       "coefficients within float's range, or storage in double");
    }
  }
  float_coefficients_.resize(coefficients_.size());
  std::transform(coefficients_.begin(), coefficients_.end(), float_coefficients_.begin(),
                 [](double c) { return static_cast<float>(c); });
  coefficients_ = {};
}

std::size_t ReducedEnergy::layout_size(std::uint32_t r) {
  return QuarticLayout(checked_dimension(kEnergyName, r), simd_target()).coefficient_count;
}

AlignedVector<double> ReducedEnergy::layout(std::uint32_t r, std::span<const double> quadratic,
                                            std::span<const double> cubic,
                                            std::span<const double> quartic) {
  const QuarticLayout layout(checked_dimension(kEnergyName, r), simd_target());
  check_coefficients(kEnergyName, "quadratic", quadratic, distinct_count(r, 2), r);
  check_coefficients(kEnergyName, "cubic", cubic, distinct_count(r, 3), r);
  check_coefficients(kEnergyName, "quartic", quartic, distinct_count(r, 4), r);
  const QuarticPlaces place(layout);
  AlignedVector<double> coefficients(layout.coefficient_count, 0.0);
  // A monomial's coefficient in W = tensor entry x distinct permutations / order; the
  // homogeneous coordinate has the last index, r.
  std::size_t at2 = 0, at3 = 0, at4 = 0;
  for (std::size_t a = 0; a < r; ++a) {
    for (std::size_t b = a; b < r; ++b) {
      coefficients[place(r, r, b, a)] = permutations(std::array{a, b}) / 2.0 * quadratic[at2++];
      for (std::size_t c = b; c < r; ++c) {
        coefficients[place(r, c, b, a)] = permutations(std::array{a, b, c}) / 3.0 * cubic[at3++];
        for (std::size_t d = c; d < r; ++d) {
          coefficients[place(d, c, b, a)] =
              permutations(std::array{a, b, c, d}) / 4.0 * quartic[at4++];
        }
      }
    }
  }
  return coefficients;
}

void ReducedEnergy::blend(std::span<const double* const> rows,
                          std::span<const double> weights) HAPTIC_REALTIME {
  blend(rows, weights, 0, layout_.coefficient_count);
}

void ReducedEnergy::blend(std::span<const double* const> rows, std::span<const double> weights,
                          std::size_t first, std::size_t count) HAPTIC_REALTIME {
  constexpr std::size_t kStep = 4;
  HAPTIC_ASSERT(rows.size() == weights.size());
  HAPTIC_ASSERT(first % kStep == 0 && count % kStep == 0);
  HAPTIC_ASSERT(first + count <= std::max(coefficients_.size(), float_coefficients_.size()));
  for (std::size_t t = first; t < first + count; t += kStep) {
    std::array<double, kStep> sum{};
    for (std::size_t g = 0; g < rows.size(); ++g) {
      for (std::size_t s = 0; s < kStep; ++s) sum[s] += weights[g] * rows[g][t + s];
    }
    if (storage_ == CoefficientStorage::kDouble) {
      for (std::size_t s = 0; s < kStep; ++s) coefficients_[t + s] = sum[s];
    } else {
      for (std::size_t s = 0; s < kStep; ++s) {
        float_coefficients_[t + s] = static_cast<float>(sum[s]);
      }
    }
  }
}

void ReducedEnergy::blend_leading(const LeadingCoefficients& leading,
                                  std::span<const double* const> rows,
                                  std::span<const double> weights, std::size_t first,
                                  std::size_t count) HAPTIC_REALTIME {
  const std::size_t lanes = leading.layout().lanes, end = first + count;
  HAPTIC_ASSERT(rows.size() == weights.size() && first % lanes == 0 && count % lanes == 0);
  HAPTIC_ASSERT(end <= leading.layout().coefficient_count);
  const auto add = [&]<class Number>(Number* to) HAPTIC_REALTIME {
    const std::size_t lines_end = std::min(end, leading.copied());
    if (lanes == 8) {
      add_lines<8>(leading, rows, weights, first, lines_end, to);
    } else {
      add_lines<4>(leading, rows, weights, first, lines_end, to);
    }
    for (std::size_t t = std::max(first, leading.copied()); t < end; ++t) {
      const std::uint32_t from = leading.lane(t);
      double sum = 0.0;
      if (from != LeadingCoefficients::kUnused) {
        for (std::size_t g = 0; g < rows.size(); ++g) sum += weights[g] * rows[g][from];
      }
      to[t] = static_cast<Number>(sum);
    }
  };
  if (storage_ == CoefficientStorage::kDouble) {
    add(coefficients_.data());
  } else {
    add(float_coefficients_.data());
  }
}

void ReducedEnergy::set_layout(const QuarticLayout& layout) HAPTIC_REALTIME {
  HAPTIC_ASSERT(layout.coefficient_count <=
                std::max(coefficients_.size(), float_coefficients_.size()));
  layout_ = layout;
  r_ = static_cast<std::uint32_t>(layout.n - 1);
}

ReducedEnergy::Workspace::Workspace(std::uint32_t r)
    : layout_(r, simd_target()),
      x_(layout_.stride + QuarticLayout::kChunk),
      sums_(layout_.sum_count),
      dots_(std::max(layout_.dot_count, layout_.stride * QuarticLayout::kChunk)),
      hessian_(layout_.n * layout_.stride),
      gradient_(layout_.stride) {}

QuarticScratch ReducedEnergy::Workspace::scratch() HAPTIC_REALTIME {
  return {x_.data(), sums_.data(), dots_.data(), hessian_.data()};
}

// The kernels leave the padding of x and of the rows as it is.
void ReducedEnergy::Workspace::fit(const QuarticLayout& layout) HAPTIC_REALTIME {
  HAPTIC_ASSERT(layout.n * layout.stride <= hessian_.size() && layout.lanes == layout_.lanes);
  if (layout.n == layout_.n) return;
  layout_ = layout;
  std::fill(x_.begin(), x_.end(), 0.0);
  std::fill(hessian_.begin(), hessian_.end(), 0.0);
}

HalvedTriangle ReducedEnergy::Workspace::stiffness() const HAPTIC_REALTIME {
  return {hessian_.data(), layout_.n - 1, layout_.stride};
}

// Euler's theorem twice: x.(H x) = 3 x.grad W = 12 W for the homogeneous quartic W.
double ReducedEnergy::Workspace::energy() const HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t m = 0; m < layout_.n; ++m) sum += x_[m] * gradient_[m];
  return sum / 12.0;
}

double ReducedEnergy::energy(std::span<const double> q) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == r_);
  // On the stack and sized for the largest dimension, so that no workspace is needed.
  alignas(64) double x[QuarticLayout::kMaxCoordinates + QuarticLayout::kChunk] = {};
  homogenise(q, x);
  return storage_ == CoefficientStorage::kDouble
             ? kernels_->value(coefficients_.data(), layout_, x)
             : kernels_->value_float(float_coefficients_.data(), layout_, x);
}

void ReducedEnergy::evaluate(std::span<const double> q, std::span<double> force,
                             Workspace& workspace) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == r_ && force.size() == r_);
  Workspace& w = workspace;
  w.fit(layout_);
  homogenise(q, w.x_.data());
  if (storage_ == CoefficientStorage::kDouble) {
    kernels_->hessian(coefficients_.data(), layout_, w.scratch());
  } else {
    kernels_->hessian_float(float_coefficients_.data(), layout_, w.scratch());
  }
  symmetric_kernels(simd_).product({w.hessian_.data(), layout_.n, layout_.stride}, w.x_.data(),
                                   w.gradient_.data(), w.dots_.data());
  for (std::size_t m = 0; m < r_; ++m) force[m] = w.gradient_[m] / 3.0;
}

void ReducedEnergy::force_and_stiffness(std::span<const double> q, std::span<double> force,
                                        std::span<double> stiffness,
                                        Workspace& workspace) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(stiffness.size() == std::size_t{r_} * r_);
  evaluate(q, force, workspace);
  symmetric_kernels(simd_).unpack({workspace.hessian_.data(), layout_.n, layout_.stride}, r_,
                                  stiffness.data());
}

}  // namespace haptic
