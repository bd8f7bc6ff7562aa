#include "rt/worlds/cloth/verlet.h"

#include <algorithm>

namespace haptic::cloth {

BasicVerlet::BasicVerlet(ClothSystem& system, double dt)
    : ClothIntegrator(system, dt),
      x_(3 * system.size()),
      moved_(3 * system.size()),
      a_(3 * system.size()) {}

ClothStepResult BasicVerlet::advance(ClothState& state) HAPTIC_REALTIME {
  const double h = dt();
  if (started_) {
    for (std::size_t k = 0; k < a_.size(); ++k) {
      moved_[k] += state.x[k] - x_[k];
      state.v[k] = moved_[k] / h;
    }
  }
  system().accelerations(state.x, state.v, state.time, a_);
  if (!started_) {
    for (std::size_t k = 0; k < a_.size(); ++k) {
      moved_[k] = h * state.v[k] - 0.5 * h * h * a_[k];
    }
    started_ = true;
  }
  for (std::size_t k = 0; k < a_.size(); ++k) {
    moved_[k] += h * h * a_[k];
    x_[k] = state.x[k] + moved_[k];
    state.x[k] = x_[k];
    state.v[k] = moved_[k] / h;
  }
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

VelocityVerlet::VelocityVerlet(ClothSystem& system, double dt)
    : ClothIntegrator(system, dt), x_(3 * system.size()), a_(3 * system.size()) {}

ClothStepResult VelocityVerlet::advance(ClothState& state) HAPTIC_REALTIME {
  const double h = dt();
  if (!started_ || !std::equal(x_.begin(), x_.end(), state.x.begin())) {
    system().accelerations(state.x, state.v, state.time, a_);
    started_ = true;
  }
  add_scaled(0.5 * h, a_, state.v);
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  std::copy(state.x.begin(), state.x.end(), x_.begin());
  system().accelerations(state.x, state.v, state.time, a_);
  add_scaled(0.5 * h, a_, state.v);
  return ClothStepResult::kOk;
}

Leapfrog::Leapfrog(ClothSystem& system, double dt)
    : ClothIntegrator(system, dt), a_(3 * system.size()) {}

ClothStepResult Leapfrog::advance(ClothState& state) HAPTIC_REALTIME {
  const double h = dt();
  system().accelerations(state.x, state.v, state.time, a_);
  add_scaled(started_ ? h : 0.5 * h, a_, state.v);
  started_ = true;
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
