#pragma once

#include <memory>
#include <span>

#include "rt/dynamics/newmark_integrator.h"

namespace haptic {

/// Largest angular frequency of the energy at rest, the root of K(0)'s largest eigenvalue [rad/s].
/// Central differences are stable for dt < 2 / w_max there (spec 2.17; the thesis' 2 pi / w is
/// wrong, spec 6.1), and the limit shrinks where the stiffness grows. Allocates.
double largest_angular_frequency(const ReducedEnergy& energy);

/// Explicit central differences in the subspace, the baseline of spec reduced-dynamics 2.17:
///   q1 = q + dt v + dt^2/2 a,  a1 = (I + dt/2 C(q1))^-1 (f - R(q1) - C(q1)(v + dt/2 a)),
///   v1 = v + dt/2 (a + a1),    C = alpha I + beta K(q).
class CentralDifferences {
 public:
  /// Starts at rest. @throws InputError if dt or damping is out of range
  CentralDifferences(const ReducedEnergy& energy, double dt, RayleighDamping damping = {});
  CentralDifferences(CentralDifferences&&) noexcept;
  CentralDifferences& operator=(CentralDifferences&&) noexcept;
  ~CentralDifferences();

  /// One step. @returns kDiverged if a value is not finite; the state is then the last good one
  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME;
  ReducedState state() const HAPTIC_REALTIME;
  /// As NewmarkIntegrator::set_state.
  [[nodiscard]] StepResult set_state(std::span<const double> q, std::span<const double> qdot,
                                     std::span<const double> f_ext) HAPTIC_REALTIME;

 private:
  struct Memory;

  const ReducedEnergy* energy_;
  double dt_;
  RayleighDamping damping_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace haptic
