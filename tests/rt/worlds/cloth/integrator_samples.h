#pragma once

#include <memory>
#include <string_view>

#include "rt/worlds/cloth/runge_kutta.h"
#include "rt/worlds/cloth/verlet.h"

namespace haptic::cloth {

enum class Explicit { kEuler, kMidpoint, kRungeKutta4, kBasicVerlet, kVelocityVerlet, kLeapfrog };
constexpr Explicit kExplicit[] = {Explicit::kEuler,          Explicit::kMidpoint,
                                  Explicit::kRungeKutta4,    Explicit::kBasicVerlet,
                                  Explicit::kVelocityVerlet, Explicit::kLeapfrog};

inline std::unique_ptr<ClothIntegrator> make_explicit(Explicit method, ClothSystem& system,
                                                      double dt) {
  switch (method) {
    case Explicit::kEuler:
      return std::make_unique<RungeKutta>(system, dt, RungeKuttaMethod::kEuler);
    case Explicit::kMidpoint:
      return std::make_unique<RungeKutta>(system, dt, RungeKuttaMethod::kMidpoint);
    case Explicit::kRungeKutta4:
      return std::make_unique<RungeKutta>(system, dt, RungeKuttaMethod::kRungeKutta4);
    case Explicit::kBasicVerlet:
      return std::make_unique<BasicVerlet>(system, dt);
    case Explicit::kVelocityVerlet:
      return std::make_unique<VelocityVerlet>(system, dt);
    case Explicit::kLeapfrog:
      break;
  }
  return std::make_unique<Leapfrog>(system, dt);
}

/// Steps until the first that is not kOk. @returns how many were made
inline int run(ClothIntegrator& integrator, ClothState& state, int steps) {
  for (int k = 0; k < steps; ++k) {
    if (integrator.step(state) != ClothStepResult::kOk) return k;
  }
  return steps;
}

}  // namespace haptic::cloth
