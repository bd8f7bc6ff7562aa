#include "rt/worlds/cloth/cloth_integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic::cloth {

ClothIntegrator::ClothIntegrator(ClothSystem& system, double dt) : system_(system), dt_(dt) {
  if (!std::isfinite(dt) || dt <= 0.0) {
    throw InputError("", "step", fmt::format("{} s", dt), "a number > 0 [s]");
  }
  before_.x.resize(3 * system.size());
  before_.v.resize(3 * system.size());
}

ClothStepResult ClothIntegrator::step(ClothState& state) HAPTIC_REALTIME {
  std::copy(state.x.begin(), state.x.end(), before_.x.begin());
  std::copy(state.v.begin(), state.v.end(), before_.v.begin());
  before_.time = state.time;
  ClothStepResult result = advance(state);
  if (result == ClothStepResult::kOk || result == ClothStepResult::kUnfinished) {
    if (all_finite(state.x) && all_finite(state.v)) return result;
    result = ClothStepResult::kDiverged;
  }
  std::copy(before_.x.begin(), before_.x.end(), state.x.begin());
  std::copy(before_.v.begin(), before_.v.end(), state.v.begin());
  state.time = before_.time;
  restart();
  return result;
}

bool all_finite(std::span<const double> values) HAPTIC_REALTIME {
  double sum = 0.0;  // of zeros, or NaN
  for (const double value : values) sum += 0.0 * value;
  return sum == 0.0;
}

}  // namespace haptic::cloth
