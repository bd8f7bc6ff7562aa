#include "rt/worlds/cloth/neighbour_step.h"

#include <span>

namespace haptic::cloth {

NeighbourStep::NeighbourStep(ClothSystem& of, double dt)
    : ClothIntegrator(of, dt),
      stiffness_(of.size()),
      force_(3 * of.size()),
      first_(3 * of.size()),
      change_(3 * of.size()) {
  const Springs& springs = of.springs().springs();
  for (std::size_t s = 0; s < springs.size(); ++s) {
    stiffness_[springs.first[s]] += springs.stiffness[s];
    stiffness_[springs.second[s]] += springs.stiffness[s];
  }
}

ClothStepResult NeighbourStep::advance(ClothState& state) HAPTIC_REALTIME {
  const double h = dt();
  const Springs& springs = system().springs().springs();
  const ParticleConstraints& constraints = system().constraints();
  const std::span<const double> w = constraints.inverse_masses();
  system().forces(state.x, state.v, state.time, force_);
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const std::size_t i = springs.first[s], j = springs.second[s];
    const Vector3 viscous = h * springs.stiffness[s] * (at(state.v, j) - at(state.v, i));
    at(force_, i) += viscous;
    at(force_, j) -= viscous;
  }
  for (std::size_t i = 0; i < system().size(); ++i) {
    const double mass = system().masses()[i] + h * h * stiffness_[i];
    const Vector3 own = w[i] == 0.0 ? Vector3(0.0, 0.0, 0.0) : Vector3(h / mass * at(force_, i));
    at(first_, i) = own;
  }
  constraints.filter(first_);
  for (std::size_t i = 0; i < system().size(); ++i) at(change_, i) = h * at(force_, i);
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const std::size_t i = springs.first[s], j = springs.second[s];
    const double k = h * h * springs.stiffness[s];
    at(change_, i) += k * at(first_, j);
    at(change_, j) += k * at(first_, i);
  }
  for (std::size_t i = 0; i < system().size(); ++i) {
    at(change_, i) /= system().masses()[i] + h * h * stiffness_[i];
  }
  constraints.filter(change_);
  add_scaled(1.0, change_, state.v);
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
