#include "host/reduction/damping_ratios.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/error.h"

namespace haptic {

RayleighDamping rayleigh_from_damping_ratios(const Eigen::Ref<const Eigen::VectorXd>& eigenvalues,
                                             double first_ratio, double last_ratio) {
  if (eigenvalues.size() == 0 || !(eigenvalues[0] > 0.0) || !eigenvalues.allFinite()) {
    throw InputError("damping", "eigenvalues", "found no eigenvalue or one that is not > 0",
                     "the modes of an anchored body");
  }
  if (!(first_ratio >= 0.0) || !(last_ratio >= 0.0) || !std::isfinite(first_ratio + last_ratio)) {
    throw InputError("material", "damping_ratios",
                     fmt::format("found {}, {}", first_ratio, last_ratio), "two numbers >= 0");
  }
  const double w1 = std::sqrt(eigenvalues[0]);
  const double w2 = std::sqrt(eigenvalues[eigenvalues.size() - 1]);
  if (first_ratio == 0.0 && last_ratio == 0.0) return {};
  if (w2 <= w1 * (1.0 + 1e-6)) return {first_ratio * w1, first_ratio / w1};
  const double span = w2 * w2 - w1 * w1;
  RayleighDamping damping{2.0 * w1 * w2 * (first_ratio * w2 - last_ratio * w1) / span,
                          2.0 * (last_ratio * w2 - first_ratio * w1) / span};
  // A single coefficient gives the steepest slope for which neither is negative (adds energy).
  if (damping.alpha < 0.0) damping = {0.0, 2.0 * first_ratio / w1};
  if (damping.beta < 0.0) damping = {2.0 * first_ratio * w1, 0.0};
  return damping;
}

double damping_ratio(const RayleighDamping& damping, double omega) {
  return 0.5 * (damping.alpha / omega + damping.beta * omega);
}

}  // namespace haptic
