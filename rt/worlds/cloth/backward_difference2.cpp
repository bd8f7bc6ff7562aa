#include "rt/worlds/cloth/backward_difference2.h"

#include <algorithm>

namespace haptic::cloth {
namespace {

const SolverSettings& checked_settings(const SolverSettings& settings) {
  check_solver(settings);
  return settings;
}

}  // namespace

BackwardDifference2::BackwardDifference2(ClothSystem& of, double dt, SolverSettings settings)
    : ClothIntegrator(of, dt),
      matrix_(of.springs().springs(), of.size()),
      gradients_(of.springs().springs(), of.size(), checked_settings(settings).most_iterations,
                 settings.tolerance),
      last_x_(3 * of.size()),
      last_v_(3 * of.size()),
      predicted_(3 * of.size()),
      force_(3 * of.size()),
      right_(3 * of.size()),
      change_(3 * of.size()) {
  of.keep_wind_damping();
}

ClothStepResult BackwardDifference2::advance(ClothState& state) HAPTIC_REALTIME {
  // A step of length c h: with last = 0 and c = 1 it is backward Euler.
  const double c = started_ ? 2.0 / 3.0 : 1.0, last = started_ ? 1.0 / 3.0 : 0.0;
  const double h = c * dt();
  system().forces(state.x, state.v, state.time, force_);
  matrix_.set(system(), state.x, {.mass = 1.0, .damping = h, .stiffness = h * h});
  for (std::size_t k = 0; k < predicted_.size(); ++k) {
    predicted_[k] = last * (state.x[k] - last_x_[k]) + h * state.v[k];
  }
  matrix_.multiply_stiffness(predicted_, right_);
  for (std::size_t i = 0; i < system().size(); ++i) {
    at(right_, i) = h * at(force_, i) - at(right_, i) / h +
                    last * system().masses()[i] * (at(state.v, i) - at(last_v_, i));
  }
  std::fill(change_.begin(), change_.end(), 0.0);
  solution_ = gradients_.solve(matrix_, system().constraints(), right_, change_);
  std::copy(state.x.begin(), state.x.end(), last_x_.begin());
  std::copy(state.v.begin(), state.v.end(), last_v_.begin());
  add_scaled(1.0, predicted_, state.x);
  add_scaled(h, change_, state.x);
  add_scaled(1.0, change_, state.v);
  started_ = true;
  state.time += dt();
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
