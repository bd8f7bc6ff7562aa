#pragma once

#include <cstdint>
#include <span>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Explicit one-step methods. Global orders 1, 2 and 4; 1, 2 and 4 evaluations a step.
enum class RungeKuttaMethod : std::uint8_t { kEuler, kMidpoint, kRungeKutta4 };

/// One explicit step of any length, and its memory.
///
/// y = (x, v), F(y, t) = (v, a(x, v, t)):
///   Euler     y += h F(y, t)
///   midpoint  y += h F(y + h/2 F(y, t), t + h/2)
///   RK4       the classical method of four stages
/// Source: docs/methods/cloth.md, "Integrators".
class RungeKuttaStep {
 public:
  RungeKuttaStep(RungeKuttaMethod method, std::size_t particles);

  /// Moves x [m], v [m/s] (3n values each) from `time` to time + h. Constraints are not projected.
  void advance(ClothSystem& system, std::span<double> x, std::span<double> v, double time,
               double h) HAPTIC_REALTIME;

  /// Order p of the error of one step: O(h^p) with p = 2, 3 and 5.
  int local_order() const HAPTIC_REALTIME;

 private:
  void stage(ClothSystem& system, std::span<const double> x, std::span<const double> v, double time,
             double from_last, double weight) HAPTIC_REALTIME;

  RungeKuttaMethod method_;
  ParticleVectors stage_x_, stage_v_, a_;  // of the latest stage
  ParticleVectors sum_v_, sum_a_;          // weighted sums of the stages
};

/// Steps of a fixed length by one of these methods.
class RungeKutta final : public ClothIntegrator {
 public:
  RungeKutta(ClothSystem& system, double dt, RungeKuttaMethod method);

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;

  RungeKuttaStep step_;
};

}  // namespace haptic::cloth
