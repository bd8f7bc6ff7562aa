#include "rt/worlds/cloth/imex_euler.h"

#include <algorithm>
#include <span>

namespace haptic::cloth {

ImexEuler::ImexEuler(ClothSystem& of, double dt)
    : ClothIntegrator(of, dt),
      matrix_(of.size(), of.springs().springs().first, of.springs().springs().second),
      weights_(of.springs().springs().size()),
      factored_(of.size()),
      force_(3 * of.size()) {
  const Springs& springs = of.springs().springs();
  for (std::size_t s = 0; s < weights_.size(); ++s) {
    if (is_stiff(s)) weights_[s] = dt * dt * springs.stiffness[s] + dt * springs.damping[s];
  }
}

bool ImexEuler::is_stiff(std::size_t spring) HAPTIC_REALTIME {
  const SpringKind kind = system().springs().springs().kind[spring];
  return kind == SpringKind::kStructural || kind == SpringKind::kSequential;
}

ClothStepResult ImexEuler::advance(ClothState& state) HAPTIC_REALTIME {
  const double h = dt();
  const std::span<const double> w = system().constraints().inverse_masses();
  if (!is_factored_ || !std::equal(w.begin(), w.end(), factored_.begin())) {
    std::copy(w.begin(), w.end(), factored_.begin());
    is_factored_ = matrix_.factor(system().masses(), weights_, w);
    if (!is_factored_) return ClothStepResult::kDiverged;
  }
  // The constant and the linear part of a stiff spring at x(t) are together its force at x(t).
  system().forces(state.x, state.v, state.time, force_);
  const Springs& springs = system().springs().springs();
  for (std::size_t s = 0; s < weights_.size(); ++s) {
    if (weights_[s] == 0.0) continue;
    const std::size_t i = springs.first[s], j = springs.second[s];
    const Vector3 isotropic = springs.damping[s] * (at(state.v, j) - at(state.v, i));
    at(force_, i) -= isotropic;
    at(force_, j) += isotropic;
  }
  for (std::size_t i = 0; i < system().size(); ++i) {
    // Rows of particles with a prescribed velocity are those of the identity.
    if (w[i] == 0.0) {
      at(force_, i) = at(state.v, i);
    } else {
      at(force_, i) = system().masses()[i] * at(state.v, i) + h * at(force_, i);
    }
  }
  for (std::size_t s = 0; s < weights_.size(); ++s) {
    const std::size_t i = springs.first[s], j = springs.second[s];
    if (w[i] == 0.0 && w[j] != 0.0) at(force_, j) += weights_[s] * at(state.v, i);
    if (w[j] == 0.0 && w[i] != 0.0) at(force_, i) += weights_[s] * at(state.v, j);
  }
  matrix_.solve(force_);
  std::copy(force_.begin(), force_.end(), state.v.begin());
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
