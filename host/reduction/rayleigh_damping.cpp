#include "host/reduction/rayleigh_damping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "shared/error.h"

namespace haptic {

RayleighCoefficients rayleigh_from_damping_ratios(
    const Eigen::Ref<const Eigen::VectorXd>& eigenvalues, double first_ratio, double last_ratio) {
  if (eigenvalues.size() == 0 || !(eigenvalues[0] > 0.0) || !eigenvalues.allFinite()) {
    throw InputError("damping", "eigenvalues", "found none or one that is not > 0",
                     "the modes of an anchored body");
  }
  if (!(first_ratio >= 0.0) || !(last_ratio >= 0.0) || !std::isfinite(first_ratio + last_ratio)) {
    throw InputError("material", "damping_ratios",
                     fmt::format("found {}, {}", first_ratio, last_ratio), "two numbers >= 0");
  }
  const double w1 = std::sqrt(eigenvalues[0]);
  const double w2 = std::sqrt(eigenvalues[eigenvalues.size() - 1]);
  if (first_ratio == 0.0 && last_ratio == 0.0) return {};
  if (w2 <= w1 * (1.0 + 1e-6)) {
    if (first_ratio != last_ratio) {
      throw InputError("material", "damping_ratios",
                       fmt::format("found {} and {} for a single frequency of {:.4g} Hz",
                                   first_ratio, last_ratio, w1 / (2.0 * std::numbers::pi)),
                       "equal ratios or more linear modes");
    }
    return {first_ratio * w1, first_ratio / w1};
  }
  const double span = w2 * w2 - w1 * w1;
  RayleighCoefficients damping{2.0 * w1 * w2 * (first_ratio * w2 - last_ratio * w1) / span,
                               2.0 * (last_ratio * w2 - first_ratio * w1) / span};
  // Ratios at the limit leave rounding in place of zero.
  const double rounding = 1e-12 * std::max(first_ratio, last_ratio);
  if (std::abs(damping.alpha) <= rounding * w1) damping.alpha = 0.0;
  if (std::abs(damping.beta) <= rounding / w2) damping.beta = 0.0;
  if (damping.alpha < 0.0 || damping.beta < 0.0) {
    throw InputError(
        "material", "damping_ratios",
        fmt::format("found {} at {:.4g} Hz and {} at {:.4g} Hz, which need a negative {}",
                    first_ratio, w1 / (2.0 * std::numbers::pi), last_ratio,
                    w2 / (2.0 * std::numbers::pi), damping.alpha < 0.0 ? "alpha" : "beta"),
        fmt::format("ratios that differ at most by a factor of {:.4g}", w2 / w1));
  }
  return damping;
}

double damping_ratio(const RayleighCoefficients& damping, double omega) {
  return 0.5 * (damping.alpha / omega + damping.beta * omega);
}

}  // namespace haptic
