#include "lab/cloth/step_interpolation.h"

#include <algorithm>

namespace haptic::lab {

StepInterpolation::StepInterpolation(std::span<const double> x)
    : before_(x.begin(), x.end()), after_(x.begin(), x.end()) {}

void StepInterpolation::push(std::span<const double> x) HAPTIC_REALTIME {
  std::copy(after_.begin(), after_.end(), before_.begin());
  std::copy(x.begin(), x.end(), after_.begin());
}

void StepInterpolation::sample(double a, std::span<double> out) const HAPTIC_REALTIME {
  const double t = std::clamp(a, 0.0, 1.0);
  // Exact at both knots.
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (1.0 - t) * before_[i] + t * after_[i];
}

}  // namespace haptic::lab
