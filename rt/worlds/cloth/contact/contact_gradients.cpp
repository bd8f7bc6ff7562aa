#include "rt/worlds/cloth/contact/contact_gradients.h"

#include <algorithm>

#include "rt/worlds/cloth/product_sum.h"
#include "shared/assert.h"

namespace haptic::cloth {

ContactGradients::ContactGradients(std::size_t particles, std::size_t most_iterations)
    : most_iterations_(most_iterations),
      direction_(3 * particles),
      product_(3 * particles),
      scaled_(3 * particles) {
  HAPTIC_DEMAND(most_iterations > 0);
}

double ContactGradients::size(ClothPreconditioner& preconditioner,
                              std::span<const double> r) HAPTIC_REALTIME {
  preconditioner.apply(r, scaled_);
  return product_sum(r, scaled_);
}

ContactGradients::Outcome ContactGradients::begin(const Problem& problem, double left,
                                                  std::span<double> r,
                                                  std::span<double> z) HAPTIC_REALTIME {
  outcome_ = {};
  outcome_.left = left;
  std::copy(scaled_.begin(), scaled_.end(), direction_.begin());
  return go_on(problem, r, z);
}

ContactGradients::Outcome ContactGradients::go_on(const Problem& problem, std::span<double> r,
                                                  std::span<double> z) HAPTIC_REALTIME {
  double& left = outcome_.left;
  // `!(left <= tolerance)` also goes on, to the bound, with values that are not finite.
  while (!(left <= problem.tolerance) && outcome_.iterations < most_iterations_) {
    ++outcome_.iterations;
    problem.A.multiply(direction_, product_);
    problem.rows.add_product(direction_, product_, problem.partners);
    problem.constraints.filter(product_);
    const double step = left / product_sum(direction_, product_);
    for (std::size_t k = 0; k < r.size(); ++k) {
      z[k] += step * direction_[k];
      r[k] -= step * product_[k];
    }
    const double before = left;
    left = size(problem.preconditioner, r);
    const double weight = left / before;
    for (std::size_t k = 0; k < r.size(); ++k) {
      direction_[k] = scaled_[k] + weight * direction_[k];
    }
  }
  outcome_.converged = left <= problem.tolerance;
  return outcome_;
}

}  // namespace haptic::cloth
