#include "rt/worlds/cloth/implicit_euler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic::cloth {
namespace {

SolverSettings checked(const SolverSettings& settings) {
  check_solver(settings);
  return settings;
}

}  // namespace

void check_solver(const SolverSettings& settings) {
  if (settings.most_iterations == 0) {
    throw InputError("", "solver iterations", "0", "an integer >= 1");
  }
  if (!std::isfinite(settings.tolerance) || settings.tolerance <= 0.0) {
    throw InputError("", "solver tolerance", fmt::format("{}", settings.tolerance), "a number > 0");
  }
}

ImplicitEuler::ImplicitEuler(ClothSystem& of, double dt, SolverSettings settings)
    : ClothIntegrator(of, dt),
      matrix_(of.springs().springs(), of.size()),
      gradients_(of.springs().springs(), of.size(), checked(settings).most_iterations,
                 settings.tolerance),
      force_(3 * of.size()),
      right_(3 * of.size()),
      change_(3 * of.size()) {
  of.keep_wind_damping();
}

ClothStepResult ImplicitEuler::advance(ClothState& state) HAPTIC_REALTIME {
  const double h = dt();
  system().forces(state.x, state.v, state.time, force_);
  matrix_.set(system(), state.x, {.mass = 1.0, .damping = h, .stiffness = h * h},
              explicit_springs());
  matrix_.multiply_stiffness(state.v, right_);
  for (std::size_t k = 0; k < right_.size(); ++k) right_[k] = h * force_[k] - right_[k];
  std::fill(change_.begin(), change_.end(), 0.0);
  solution_ = gradients_.solve(matrix_, system().constraints(), right_, change_);
  add_scaled(1.0, change_, state.v);
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

AdaptiveImex::AdaptiveImex(ClothSystem& of, double dt, double threshold, SolverSettings settings)
    : ImplicitEuler(of, dt, settings),
      of_(of),
      threshold_(threshold),
      explicit_(of.springs().springs().size()) {
  if (!std::isfinite(threshold) || threshold < 0.0) {
    throw InputError("", "stiffness threshold", fmt::format("{}", threshold), "a number >= 0");
  }
}

double AdaptiveImex::stiffness_number(std::size_t spring) const HAPTIC_REALTIME {
  const Springs& springs = of_.springs().springs();
  const std::span<const double> w = of_.constraints().inverse_masses();
  const double per_mass = std::max(w[springs.first[spring]], w[springs.second[spring]]);
  return dt() * per_mass * (springs.stiffness[spring] * dt() + 2.0 * springs.damping[spring]);
}

std::span<const unsigned char> AdaptiveImex::explicit_springs() HAPTIC_REALTIME {
  const Springs& springs = of_.springs().springs();
  implicit_count_ = 0;
  for (std::size_t s = 0; s < explicit_.size(); ++s) {
    const bool bends =
        springs.kind[s] == SpringKind::kBend || springs.kind[s] == SpringKind::kInterlaced;
    explicit_[s] = bends || stiffness_number(s) <= threshold_ ? 1 : 0;
    implicit_count_ += explicit_[s] == 0 ? 1 : 0;
  }
  return explicit_;
}

}  // namespace haptic::cloth
