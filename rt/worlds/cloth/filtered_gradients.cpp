#include "rt/worlds/cloth/filtered_gradients.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic {
namespace {

/// Eight chains of sums, which a compiler can put into vectors without changing their order.
double product_sum(std::span<const double> a, std::span<const double> b) HAPTIC_REALTIME {
  constexpr std::size_t kChains = 8;
  double sums[kChains] = {};
  const std::size_t whole = a.size() - a.size() % kChains;
  for (std::size_t k = 0; k < whole; k += kChains) {
    for (std::size_t c = 0; c < kChains; ++c) sums[c] += a[k + c] * b[k + c];
  }
  for (std::size_t k = whole; k < a.size(); ++k) sums[0] += a[k] * b[k];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void scale_by_diagonal(std::span<const double> diagonal, std::span<const double> from,
                       std::span<double> to) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < diagonal.size(); ++i) at(to, i) = at(from, i) / diagonal[i];
}

}  // namespace

FilteredGradients::FilteredGradients(std::size_t particles, std::size_t most_iterations,
                                     double tolerance)
    : most_iterations_(most_iterations),
      tolerance_(tolerance),
      residual_(3 * particles),
      direction_(3 * particles),
      product_(3 * particles),
      scaled_(3 * particles) {
  HAPTIC_DEMAND(most_iterations > 0 && tolerance > 0.0);
}

FilteredGradients::Outcome FilteredGradients::solve(const SpringOperator& A,
                                                    const ParticleConstraints& constraints,
                                                    std::span<const double> b,
                                                    std::span<double> z) HAPTIC_REALTIME {
  Outcome outcome;
  constraints.filter(z);
  std::copy(b.begin(), b.end(), residual_.begin());
  constraints.filter(residual_);
  scale_by_diagonal(A.diagonal(), residual_, scaled_);
  const double size = product_sum(residual_, scaled_);
  if (size == 0.0) {
    std::fill(z.begin(), z.end(), 0.0);
    return outcome;
  }
  A.multiply(z, product_);
  constraints.filter(product_);
  for (std::size_t k = 0; k < residual_.size(); ++k) residual_[k] -= product_[k];
  scale_by_diagonal(A.diagonal(), residual_, scaled_);
  std::copy(scaled_.begin(), scaled_.end(), direction_.begin());
  double left = product_sum(residual_, scaled_);
  const double enough = tolerance_ * tolerance_ * size;
  // `!(left <= enough)` also goes on, to the bound, with values that are not finite.
  while (!(left <= enough) && outcome.iterations < most_iterations_) {
    ++outcome.iterations;
    A.multiply(direction_, product_);
    constraints.filter(product_);
    const double step = left / product_sum(direction_, product_);
    for (std::size_t k = 0; k < residual_.size(); ++k) {
      z[k] += step * direction_[k];
      residual_[k] -= step * product_[k];
    }
    scale_by_diagonal(A.diagonal(), residual_, scaled_);
    const double before = left;
    left = product_sum(residual_, scaled_);
    const double weight = left / before;
    for (std::size_t k = 0; k < residual_.size(); ++k) {
      direction_[k] = scaled_[k] + weight * direction_[k];
    }
  }
  outcome.residual = std::sqrt(left / size);
  outcome.converged = left <= enough;
  return outcome;
}

}  // namespace haptic
