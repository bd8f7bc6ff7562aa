#pragma once

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Stoermer's form, one evaluation a step, global order 2, stable for h omega < 2:
///   x(t+h) = 2 x(t) - x(t-h) + h^2 a(t),   x(-h) = x(0) - h v(0) + h^2 / 2 a(0).
/// The state's velocity after a step is (x(t+h) - x(t)) / h, that of the middle of the step; drag
/// and dampers see it in the next one. The motion is in the positions: a change of the state's
/// positions between steps changes the velocity with it, a change of its velocities does nothing.
/// After a jump of a particle, `restart` takes the state's velocities.
class BasicVerlet final : public ClothIntegrator {
 public:
  BasicVerlet(ClothSystem& system, double dt);
  void restart() HAPTIC_REALTIME override { started_ = false; }

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;

  // The motion x(t) - x(t-h) is a variable of its own: the difference of stored positions would
  // lose the digits of the velocity that the position does not have.
  ParticleVectors x_, moved_, a_;  // x_: positions before the constraints' last projection
  bool started_ = false;
};

/// One evaluation a step, global order 2, stable for h omega < 2:
///   v(t+h/2) = v(t) + h/2 a(t),  x(t+h) = x(t) + h v(t+h/2),  v(t+h) = v(t+h/2) + h/2 a(t+h)
/// with a(t+h) at the positions x(t+h) and the velocities v(t+h/2). a(t+h) is kept for the next
/// step, and evaluated again if the positions were changed between the steps.
class VelocityVerlet final : public ClothIntegrator {
 public:
  VelocityVerlet(ClothSystem& system, double dt);
  void restart() HAPTIC_REALTIME override { started_ = false; }

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;

  ParticleVectors x_, a_;  // a_ is the acceleration at x_
  bool started_ = false;
};

/// One evaluation a step, global order 2, stable for h omega < 2:
///   v(t+h/2) = v(t-h/2) + h a(t),  x(t+h) = x(t) + h v(t+h/2),  v(h/2) = v(0) + h/2 a(0).
/// After the first step, the half kick, the state's velocity is that of the middle of the step;
/// drag and dampers see it in the next one. Velocities and positions may be changed between steps.
class Leapfrog final : public ClothIntegrator {
 public:
  Leapfrog(ClothSystem& system, double dt);
  /// The state's velocities are those of its time again.
  void restart() HAPTIC_REALTIME override { started_ = false; }

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;

  ParticleVectors a_;
  bool started_ = false;
};

}  // namespace haptic::cloth
