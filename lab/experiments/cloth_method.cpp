#include "lab/experiments/cloth_method.h"

#include "rt/worlds/cloth/adaptive_step.h"
#include "rt/worlds/cloth/backward_difference2.h"
#include "rt/worlds/cloth/filtered_forces.h"
#include "rt/worlds/cloth/imex_euler.h"
#include "rt/worlds/cloth/neighbour_step.h"
#include "rt/worlds/cloth/runge_kutta.h"
#include "rt/worlds/cloth/verlet.h"
#include "shared/assert.h"

namespace haptic {

const char* name_of(ClothMethod method) {
  switch (method) {
    case ClothMethod::kEuler:
      return "Euler";
    case ClothMethod::kMidpoint:
      return "midpoint";
    case ClothMethod::kRungeKutta4:
      return "RK4";
    case ClothMethod::kBasicVerlet:
      return "basic Verlet";
    case ClothMethod::kVelocityVerlet:
      return "velocity Verlet";
    case ClothMethod::kLeapfrog:
      return "leapfrog";
    case ClothMethod::kAdaptiveStep:
      return "RK4, adaptive";
    case ClothMethod::kImplicitEuler:
      return "implicit Euler";
    case ClothMethod::kAdaptiveImex:
      return "adaptive IMEX";
    case ClothMethod::kImexEuler:
      return "IMEX Euler";
    case ClothMethod::kBackwardDifference2:
      return "BDF2";
    case ClothMethod::kFilteredForces:
      return "filtered forces";
    case ClothMethod::kNeighbourStep:
      return "neighbours";
  }
  return "";
}

bool is_explicit(ClothMethod method) {
  return method <= ClothMethod::kAdaptiveStep;
}

int evaluations(ClothMethod method) {
  switch (method) {
    case ClothMethod::kMidpoint:
      return 2;
    case ClothMethod::kRungeKutta4:
      return 4;
    case ClothMethod::kAdaptiveStep:
      return 12;
    default:
      return 1;
  }
}

bool has_half_step_velocity(ClothMethod method) {
  return method == ClothMethod::kBasicVerlet || method == ClothMethod::kLeapfrog;
}

std::unique_ptr<cloth::ClothIntegrator> make_integrator(ClothMethod method,
                                                        cloth::ClothSystem& system, double dt,
                                                        const cloth::SolverSettings& solver) {
  switch (method) {
    case ClothMethod::kEuler:
      return std::make_unique<cloth::RungeKutta>(system, dt, cloth::RungeKuttaMethod::kEuler);
    case ClothMethod::kMidpoint:
      return std::make_unique<cloth::RungeKutta>(system, dt, cloth::RungeKuttaMethod::kMidpoint);
    case ClothMethod::kRungeKutta4:
      return std::make_unique<cloth::RungeKutta>(system, dt, cloth::RungeKuttaMethod::kRungeKutta4);
    case ClothMethod::kBasicVerlet:
      return std::make_unique<cloth::BasicVerlet>(system, dt);
    case ClothMethod::kVelocityVerlet:
      return std::make_unique<cloth::VelocityVerlet>(system, dt);
    case ClothMethod::kLeapfrog:
      return std::make_unique<cloth::Leapfrog>(system, dt);
    case ClothMethod::kAdaptiveStep:
      return std::make_unique<cloth::AdaptiveStep>(
          system, dt, cloth::RungeKuttaMethod::kRungeKutta4,
          cloth::AdaptiveStep::Settings{.tolerance = 1e-5, .time_scale = 1e-2, .most_tries = 1000});
    case ClothMethod::kImplicitEuler:
      return std::make_unique<cloth::ImplicitEuler>(system, dt, solver);
    case ClothMethod::kAdaptiveImex:
      return std::make_unique<cloth::AdaptiveImex>(system, dt, cloth::AdaptiveImex::kInPractice,
                                                   solver);
    case ClothMethod::kImexEuler:
      return std::make_unique<cloth::ImexEuler>(system, dt);
    case ClothMethod::kBackwardDifference2:
      return std::make_unique<cloth::BackwardDifference2>(system, dt, solver);
    case ClothMethod::kFilteredForces:
      return std::make_unique<cloth::FilteredForces>(system, dt);
    case ClothMethod::kNeighbourStep:
      break;
  }
  HAPTIC_DEMAND(method == ClothMethod::kNeighbourStep);
  return std::make_unique<cloth::NeighbourStep>(system, dt);
}

}  // namespace haptic
