#include "rt/worlds/cloth/runge_kutta.h"

#include <algorithm>

namespace haptic::cloth {

RungeKuttaStep::RungeKuttaStep(RungeKuttaMethod method, std::size_t particles)
    : method_(method),
      stage_x_(3 * particles),
      stage_v_(3 * particles),
      a_(3 * particles),
      sum_v_(3 * particles),
      sum_a_(3 * particles) {}

int RungeKuttaStep::local_order() const HAPTIC_REALTIME {
  switch (method_) {
    case RungeKuttaMethod::kEuler:
      return 2;
    case RungeKuttaMethod::kMidpoint:
      return 3;
    case RungeKuttaMethod::kRungeKutta4:
      break;
  }
  return 5;
}

/// Evaluates F at y + from_last F(last stage) and adds `weight` of it to the sums.
void RungeKuttaStep::stage(ClothSystem& system, std::span<const double> x,
                           std::span<const double> v, double time, double from_last,
                           double weight) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < x.size(); ++k) {
    stage_x_[k] = x[k] + from_last * stage_v_[k];
    stage_v_[k] = v[k] + from_last * a_[k];
  }
  system.accelerations(stage_x_, stage_v_, time, a_);
  add_scaled(weight, stage_v_, sum_v_);
  add_scaled(weight, a_, sum_a_);
}

void RungeKuttaStep::advance(ClothSystem& system, std::span<double> x, std::span<double> v,
                             double time, double h) HAPTIC_REALTIME {
  std::fill(sum_v_.begin(), sum_v_.end(), 0.0);
  std::fill(sum_a_.begin(), sum_a_.end(), 0.0);
  std::fill(stage_v_.begin(), stage_v_.end(), 0.0);
  std::fill(a_.begin(), a_.end(), 0.0);
  switch (method_) {
    case RungeKuttaMethod::kEuler:
      stage(system, x, v, time, 0.0, 1.0);
      break;
    case RungeKuttaMethod::kMidpoint:
      stage(system, x, v, time, 0.0, 0.0);
      stage(system, x, v, time + 0.5 * h, 0.5 * h, 1.0);
      break;
    case RungeKuttaMethod::kRungeKutta4:
      stage(system, x, v, time, 0.0, 1.0 / 6.0);
      stage(system, x, v, time + 0.5 * h, 0.5 * h, 1.0 / 3.0);
      stage(system, x, v, time + 0.5 * h, 0.5 * h, 1.0 / 3.0);
      stage(system, x, v, time + h, h, 1.0 / 6.0);
      break;
  }
  add_scaled(h, sum_v_, x);
  add_scaled(h, sum_a_, v);
}

RungeKutta::RungeKutta(ClothSystem& system, double dt, RungeKuttaMethod method)
    : ClothIntegrator(system, dt), step_(method, system.size()) {}

ClothStepResult RungeKutta::advance(ClothState& state) HAPTIC_REALTIME {
  step_.advance(system(), state.x, state.v, state.time, dt());
  state.time += dt();
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
