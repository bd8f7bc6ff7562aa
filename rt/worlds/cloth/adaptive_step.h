#pragma once

#include <cstddef>
#include <cstdint>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/runge_kutta.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// What to multiply a step by so that its error becomes the tolerance: (tolerance / error)^(1/p),
/// p the local order of the method.
double step_scale(double tolerance, double error, int local_order) HAPTIC_REALTIME;

/// Explicit steps whose length follows their error, found by doubling: one step of h beside two of
/// h/2, the error e is their largest difference in a position [m] or in a velocity times
/// `time_scale` [m]. Accepted, with the result of the two, if e <= tolerance; redone otherwise.
/// The next h is h times 0.9 (tolerance / e)^(1/p), between 1/5 and 2, and at most dt.
/// Source: docs/methods/cloth.md, "Step control".
class AdaptiveStep final : public ClothIntegrator {
 public:
  struct Settings {
    double tolerance = 1e-5;      ///< m a step, > 0
    double time_scale = 1e-2;     ///< s, > 0: what an error of velocity is multiplied by
    std::size_t most_tries = 64;  ///< bound of the steps tried in one dt, >= 1
  };

  /// @throws InputError as ClothIntegrator, or if a setting is out of its range
  AdaptiveStep(ClothSystem& system, double dt, RungeKuttaMethod method, Settings settings);

  /// Of the last call of `step`.
  struct Report {
    std::size_t accepted = 0, rejected = 0;
    double largest_error = 0.0;  ///< of an accepted step [m], at most the tolerance
  };
  const Report& report() const HAPTIC_REALTIME { return report_; }

 private:
  /// Ends early, with kUnfinished, after `most_tries` steps; state.time says where.
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;
  double try_step(const ClothState& state, double h) HAPTIC_REALTIME;

  RungeKuttaStep step_;
  Settings settings_;
  double h_;
  Report report_;
  ParticleVectors whole_x_, whole_v_, halves_x_, halves_v_;
};

}  // namespace haptic::cloth
