#include "rt/worlds/cloth/scene_integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/worlds/cloth/adaptive_step.h"
#include "rt/worlds/cloth/backward_difference2.h"
#include "rt/worlds/cloth/critical_step.h"
#include "rt/worlds/cloth/filtered_forces.h"
#include "rt/worlds/cloth/imex_euler.h"
#include "rt/worlds/cloth/implicit_euler.h"
#include "rt/worlds/cloth/neighbour_step.h"
#include "rt/worlds/cloth/runge_kutta.h"
#include "rt/worlds/cloth/verlet.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic::cloth {

namespace {

/// Least k_d / k of the springs [s]: a motion of the frequency w has at least the damping rate
/// `this` w^2 along its springs.
double least_damping_time(const ClothSystem& system) {
  const Springs& springs = system.springs().springs();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < springs.size(); ++s) {
    if (springs.stiffness[s] > 0.0) {
      least = std::min(least, springs.damping[s] / springs.stiffness[s]);
    }
  }
  return least;
}

/// Largest cloth whose exact limits are found: they need many passes over the springs.
constexpr std::size_t kMaxExact = 4096;

/// Euler needs h w^2 < d, d the damping rate of the motion; midpoint h^3 w^4 < 4 d. Both are never
/// stable without damping.
double damped_limit(ClothMethod method, const ClothSystem& system, const ClothState& state) {
  const bool exact = system.size() <= kMaxExact;
  const double frequency = exact ? largest_frequency(system, state.x) : frequency_bound(system);
  if (frequency == 0.0) return std::numeric_limits<double>::infinity();
  const double heaviest = *std::ranges::max_element(system.masses());
  const double rate = system.surroundings().air.drag_of(heaviest) / heaviest +
                      least_damping_time(system) * frequency * frequency;
  const double verlet = exact ? verlet_step_limit(system, state.x) : safe_verlet_step(system);
  if (method == ClothMethod::kEuler) return std::min(verlet, rate / (frequency * frequency));
  return std::min(verlet, std::cbrt(4.0 * rate / std::pow(frequency, 4)));
}

/// A step below the limit of the bounds needs no other.
double explicit_limit(ClothMethod method, const ClothSystem& system, const ClothState& state,
                      double dt) {
  const bool exact = system.size() <= kMaxExact;
  switch (method) {
    case ClothMethod::kEuler:
    case ClothMethod::kMidpoint:
      return damped_limit(method, system, state);
    case ClothMethod::kRungeKutta4: {
      const double safe = safe_rk4_step(system);
      return dt < safe || !exact ? safe : rk4_step_limit(system, state.x);
    }
    case ClothMethod::kVerlet:
    case ClothMethod::kVelocityVerlet:
    case ClothMethod::kLeapfrog: {
      const double safe = safe_verlet_step(system);
      return dt < safe || !exact ? safe : verlet_step_limit(system, state.x);
    }
    default:
      return std::numeric_limits<double>::infinity();
  }
}

/// Step in which what the air does explicitly would turn a velocity round [s]: drag and the wind
/// that blows on a particle at rest.
double air_limit(const ClothSystem& system, const ClothState& state) {
  const AirSettings& air = system.surroundings().air;
  std::vector<double> area(system.size());
  for (const auto& t : system.triangles()) {
    const Vector3 a = at(state.x, t[0]), b = at(state.x, t[1]), c = at(state.x, t[2]);
    for (const std::uint32_t i : t) area[i] += (b - a).cross(c - a).norm() / 6.0;
  }
  double rate = 0.0;
  for (std::size_t i = 0; i < area.size(); ++i) {
    const double wind = 2.0 * air.wind.pressure * air.wind.velocity.norm() * area[i];
    rate = std::max(rate, (air.drag_of(system.masses()[i]) + wind) / system.masses()[i]);
  }
  return rate > 0.0 ? 1.0 / rate : std::numeric_limits<double>::infinity();
}

RungeKuttaMethod runge_kutta(ClothMethod method) {
  return method == ClothMethod::kEuler      ? RungeKuttaMethod::kEuler
         : method == ClothMethod::kMidpoint ? RungeKuttaMethod::kMidpoint
                                            : RungeKuttaMethod::kRungeKutta4;
}

std::unique_ptr<ClothIntegrator> make(const ClothSettings& settings, ClothSystem& system,
                                      double dt) {
  const SolverSettings solver{settings.iterations, settings.tolerance};
  switch (settings.method) {
    case ClothMethod::kAdaptiveImex:
      return std::make_unique<AdaptiveImex>(system, dt, AdaptiveImex::kInPractice, solver);
    case ClothMethod::kImexEuler:
      return std::make_unique<ImexEuler>(system, dt);
    case ClothMethod::kBackwardDifference2:
      return std::make_unique<BackwardDifference2>(system, dt, solver);
    case ClothMethod::kFilteredForces:
      return std::make_unique<FilteredForces>(system, dt);
    case ClothMethod::kNeighbours:
      return std::make_unique<NeighbourStep>(system, dt);
    case ClothMethod::kEuler:
    case ClothMethod::kMidpoint:
    case ClothMethod::kRungeKutta4: {
      const RungeKuttaMethod method = runge_kutta(settings.method);
      if (!settings.step_tolerance) return std::make_unique<RungeKutta>(system, dt, method);
      AdaptiveStep::Settings adaptive;
      adaptive.tolerance = *settings.step_tolerance;
      return std::make_unique<AdaptiveStep>(system, dt, method, adaptive);
    }
    case ClothMethod::kVerlet:
      return std::make_unique<BasicVerlet>(system, dt);
    case ClothMethod::kVelocityVerlet:
      return std::make_unique<VelocityVerlet>(system, dt);
    case ClothMethod::kLeapfrog:
      return std::make_unique<Leapfrog>(system, dt);
    case ClothMethod::kImplicitEuler:
      break;
  }
  HAPTIC_DEMAND(false);
  return nullptr;
}

}  // namespace

std::unique_ptr<ClothIntegrator> make_cloth_integrator(const ClothSettings& settings,
                                                       ClothSystem& system, const ClothState& state,
                                                       double dt, const std::string& source) {
  if (system.springs().has_plate() && !settings.has_solver()) {
    throw InputError(source, "cloth.integrator",
                     fmt::format("found \"{}\" and a fabric that resists bending",
                                 kClothMethods[static_cast<std::size_t>(settings.method)]),
                     "implicit-euler, adaptive-imex or bdf2, which have its bending in their "
                     "matrix; or bending = 0 in its recipe");
  }
  const double limit = explicit_limit(settings.method, system, state, dt);
  if (!settings.step_tolerance && !(dt < limit)) {
    const std::string_view name = kClothMethods[static_cast<std::size_t>(settings.method)];
    throw InputError(
        source, "cloth.integrator", fmt::format("found \"{}\" with steps of {:.4g} s", name, dt),
        limit > 0.0
            ? fmt::format("steps of less than {:.4g} s, its limit with this cloth (rate_hz, "
                          "cloth.substeps), or \"implicit-euler\"",
                          limit)
            : std::string("dampers at the springs, without which it is never stable, or "
                          "\"implicit-euler\""));
  }
  const double air = settings.has_solver() || settings.step_tolerance
                         ? std::numeric_limits<double>::infinity()
                         : air_limit(system, state);
  if (!(dt < air)) {
    throw InputError(
        source, "cloth.integrator",
        fmt::format("found \"{}\" with steps of {:.4g} s in this wind and drag",
                    kClothMethods[static_cast<std::size_t>(settings.method)], dt),
        fmt::format("steps of less than {:.4g} s, what the air explicitly allows (rate_hz, "
                    "cloth.substeps), or \"implicit-euler\"",
                    air));
  }
  try {
    return make(settings, system, dt);
  } catch (const InputError& error) {
    throw InputError(source, "cloth.integrator", error.what());
  }
}

}  // namespace haptic::cloth
