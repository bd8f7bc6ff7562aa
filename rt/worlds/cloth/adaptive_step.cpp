#include "rt/worlds/cloth/adaptive_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic::cloth {
namespace {

constexpr double kSafety = 0.9, kMinScale = 0.2, kMaxScale = 2.0;

void require_positive(const char* key, double value, const char* unit) {
  if (std::isfinite(value) && value > 0.0) return;
  throw InputError("", key, fmt::format("{} {}", value, unit),
                   fmt::format("a number > 0 [{}]", unit));
}

}  // namespace

double step_scale(double tolerance, double error, int local_order) HAPTIC_REALTIME {
  return std::pow(tolerance / error, 1.0 / local_order);
}

AdaptiveStep::AdaptiveStep(ClothSystem& system, double dt, RungeKuttaMethod method,
                           Settings settings)
    : ClothIntegrator(system, dt),
      step_(method, system.size()),
      settings_(settings),
      h_(dt),
      whole_x_(3 * system.size()),
      whole_v_(3 * system.size()),
      halves_x_(3 * system.size()),
      halves_v_(3 * system.size()) {
  require_positive("tolerance", settings.tolerance, "m");
  require_positive("time scale", settings.time_scale, "s");
  if (settings.most_tries == 0) throw InputError("", "tries", "0", "an integer >= 1");
}

/// The step by both ways; returns their difference, infinite if a value is not finite.
double AdaptiveStep::try_step(const ClothState& state, double h) HAPTIC_REALTIME {
  std::copy(state.x.begin(), state.x.end(), whole_x_.begin());
  std::copy(state.v.begin(), state.v.end(), whole_v_.begin());
  std::copy(state.x.begin(), state.x.end(), halves_x_.begin());
  std::copy(state.v.begin(), state.v.end(), halves_v_.begin());
  step_.advance(system(), whole_x_, whole_v_, state.time, h);
  step_.advance(system(), halves_x_, halves_v_, state.time, 0.5 * h);
  step_.advance(system(), halves_x_, halves_v_, state.time + 0.5 * h, 0.5 * h);
  if (!all_finite(halves_x_) || !all_finite(halves_v_) || !all_finite(whole_x_) ||
      !all_finite(whole_v_)) {
    return HUGE_VAL;
  }
  double error = 0.0;
  for (std::size_t k = 0; k < whole_x_.size(); ++k) {
    error = std::max({error, std::abs(whole_x_[k] - halves_x_[k]),
                      settings_.time_scale * std::abs(whole_v_[k] - halves_v_[k])});
  }
  return error;
}

ClothStepResult AdaptiveStep::advance(ClothState& state) HAPTIC_REALTIME {
  const double begin = state.time, end = begin + dt();
  report_ = {};
  double done = 0.0;
  for (std::size_t k = 0; k < settings_.most_tries; ++k) {
    const double left = dt() - done;
    const bool last = h_ >= left;
    const double h = last ? left : h_;
    const double error = try_step(state, h);
    const bool accepted = error <= settings_.tolerance;
    if (accepted) {
      std::copy(halves_x_.begin(), halves_x_.end(), state.x.begin());
      std::copy(halves_v_.begin(), halves_v_.end(), state.v.begin());
      done += h;
      state.time = last ? end : begin + done;
      ++report_.accepted;
      report_.largest_error = std::max(report_.largest_error, error);
    } else {
      ++report_.rejected;
    }
    // An error of 0 gives the scale infinity, and infinity gives 0.
    const double scale = kSafety * step_scale(settings_.tolerance, error, step_.local_order());
    // A short last step says nothing against a longer next one.
    if (!accepted || !last) h_ = std::min(h * std::clamp(scale, kMinScale, kMaxScale), dt());
    if (accepted && last) {
      hold(state);
      return ClothStepResult::kOk;
    }
  }
  hold(state);
  return ClothStepResult::kUnfinished;
}

}  // namespace haptic::cloth
