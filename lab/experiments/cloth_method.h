#pragma once

#include <cstdint>
#include <memory>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/implicit_euler.h"

namespace haptic {

/// Every integrator of a cloth, as the experiments compare them.
enum class ClothMethod : std::uint8_t {
  kEuler,
  kMidpoint,
  kRungeKutta4,
  kBasicVerlet,
  kVelocityVerlet,
  kLeapfrog,
  kAdaptiveStep,  ///< RK4, tolerance 1e-5 m a step
  kImplicitEuler,
  kAdaptiveImex,
  kImexEuler,
  kBackwardDifference2,
  kFilteredForces,
  kNeighbourStep,
};
inline constexpr ClothMethod kClothMethods[] = {
    ClothMethod::kEuler,
    ClothMethod::kMidpoint,
    ClothMethod::kRungeKutta4,
    ClothMethod::kBasicVerlet,
    ClothMethod::kVelocityVerlet,
    ClothMethod::kLeapfrog,
    ClothMethod::kAdaptiveStep,
    ClothMethod::kImplicitEuler,
    ClothMethod::kAdaptiveImex,
    ClothMethod::kImexEuler,
    ClothMethod::kBackwardDifference2,
    ClothMethod::kFilteredForces,
    ClothMethod::kNeighbourStep,
};

const char* name_of(ClothMethod method);

/// Whether nothing of a step is implicit.
bool is_explicit(ClothMethod method);

/// Forces that are evaluated in a step; of the adaptive one, in each step that it tries.
int evaluations(ClothMethod method);

/// Whether the velocity of the state after a step is that of the middle of the step.
bool has_half_step_velocity(ClothMethod method);

/// @param solver  of the methods with conjugate gradients
std::unique_ptr<cloth::ClothIntegrator> make_integrator(ClothMethod method,
                                                        cloth::ClothSystem& system, double dt,
                                                        const cloth::SolverSettings& solver);

}  // namespace haptic
