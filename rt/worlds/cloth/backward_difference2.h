#pragma once

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/filtered_gradients.h"
#include "rt/worlds/cloth/implicit_euler.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_operator.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The backward difference formula of order 2, linearised once a step (Choi & Ko 2002):
///   (M - 2/3 h D - 4/9 h^2 K) dv = 2/3 h (f + K (dx_last / 3 + 2/3 h v)) + M (v - v_last) / 3,
///   v += dv,   x += dx_last / 3 + 2/3 h v,   dx_last = x(t) - x(t-h).
/// The first step is backward Euler. A change of the state's positions between steps is part of
/// dx_last; after a jump, `restart`.
class BackwardDifference2 final : public ClothIntegrator {
 public:
  /// @throws InputError as ImplicitEuler
  BackwardDifference2(ClothSystem& system, double dt, SolverSettings settings = {});
  void restart() HAPTIC_REALTIME override { started_ = false; }

  bool converged() const HAPTIC_REALTIME override { return solution_.converged; }
  const FilteredGradients::Outcome& solution() const HAPTIC_REALTIME { return solution_; }

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;

  SpringOperator matrix_;
  FilteredGradients gradients_;
  FilteredGradients::Outcome solution_;
  ParticleVectors last_x_, last_v_, predicted_, force_, right_, change_;
  bool started_ = false;
};

}  // namespace haptic::cloth
