#pragma once

#include "rt/coupling/virtual_coupling.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The held body on a damped spring (docs/methods/contact-and-coupling.md, "Dynamic coupling").
struct DynamicSettings {
  double mass = 0.05;     ///< kg, simulated, > 0
  double inertia = 2e-5;  ///< about the grasp, the same about every axis [kg·m²], > 0
  /// Coupling damping over critical damping 2 sqrt(k m), >= 0; translation and rotation.
  double damping_ratio = 1.0;
};

/// Dynamic virtual coupling: mass, spring and damper instead of one quasi-static step.
///
/// One backward Euler step of M v' = F(z) + D (v_M - v), linearised in the step:
///   (M + h (D + D_contact) - h² A) v1 = M v0 + h (F + D v_M),   z1 = z0 (+) h v1,
/// A = dF/dz of coupling and contact. The step is implicit in spring, damper and contact and
/// therefore stable at any stiffness and rate. The published explicit Euler step is stable only for
/// k < m / h² and needs sub-steps. Without mass and damper it is the quasi-static step. Never
/// allocates.
class DynamicCoupling {
 public:
  /// @param dt  of a step [s], > 0
  /// @throws InputError if a setting is out of range
  DynamicCoupling(const DynamicSettings& settings, double dt);

  const DynamicSettings& settings() const HAPTIC_REALTIME { return settings_; }

  /// c = 2 ratio sqrt(k m) [N·s/m] and the same for the small-angle rotation [N·m·s/rad].
  double damping(const CouplingSettings& coupling) const HAPTIC_REALTIME;
  double rotational_damping(const CouplingSettings& coupling) const HAPTIC_REALTIME;

  /// @param manipulandum_twist  of the scaled hand
  /// @param load     coupling at `held`: saturated wrench, gradient
  /// @param contact  wrench on the held body, its gradient [N/m ...], and d(wrench)/d(twist)
  /// @param held     advanced by at most max_step and max_rotation of the coupling; `held` and
  ///                 `twist` are unchanged on kNotFinite
  [[nodiscard]] CouplingStatus advance(const CouplingSettings& coupling,
                                       const Twist& manipulandum_twist, const CouplingLoad& load,
                                       const Wrench& contact, const Matrix6& contact_gradient,
                                       const Matrix6& contact_damping, Pose& held,
                                       Twist& twist) const HAPTIC_REALTIME;

 private:
  DynamicSettings settings_;
  double dt_;
};

}  // namespace haptic
