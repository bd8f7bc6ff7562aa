#include "rt/worlds/cloth/filtered_gradients.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/product_sum.h"
#include "shared/assert.h"

namespace haptic::cloth {
FilteredGradients::FilteredGradients(const Springs& springs, std::size_t particles,
                                     std::size_t most_iterations, double tolerance)
    : most_iterations_(most_iterations),
      tolerance_(tolerance),
      preconditioner_(springs, particles),
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
  preconditioner_.set(A, constraints);
  preconditioner_.factor();
  preconditioner_.apply(residual_, scaled_);
  const double size = product_sum(residual_, scaled_);
  if (size == 0.0) {
    std::fill(z.begin(), z.end(), 0.0);
    return outcome;
  }
  const auto subtract_product = [&]() HAPTIC_REALTIME {
    A.multiply(z, product_);
    for (std::size_t k = 0; k < residual_.size(); ++k) residual_[k] = b[k] - product_[k];
    constraints.filter(residual_);
  };
  subtract_product();
  preconditioner_.correct(residual_, z);
  subtract_product();
  preconditioner_.apply(residual_, scaled_);
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
    preconditioner_.apply(residual_, scaled_);
    const double before = left;
    left = product_sum(residual_, scaled_);
    const double weight = left / before;
    for (std::size_t k = 0; k < residual_.size(); ++k) {
      direction_[k] = scaled_[k] + weight * direction_[k];
    }
  }
  if (outcome.iterations > 0) preconditioner_.correct(residual_, z);
  outcome.residual = std::sqrt(left / size);
  outcome.converged = left <= enough;
  return outcome;
}

}  // namespace haptic::cloth
