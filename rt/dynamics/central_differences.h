#pragma once

#include <memory>
#include <span>

#include "rt/dynamics/integrator.h"
#include "rt/dynamics/reduced_system.h"

namespace haptic {

/// Largest angular frequency at rest [rad/s]: the square root of the largest eigenvalue of K(0). At
/// rest, central differences are stable for dt < 2 / w_max (not 2 pi / w_max as in Barbic 2007,
/// section 2.9.1); the limit falls where the stiffness grows. Allocates.
double largest_angular_frequency(const ReducedEnergy& energy);

/// Explicit central differences (docs/methods/reduced-dynamics.md, "Central differences"):
///   q1 = q + dt v + dt^2/2 a,  a1 = (M + dt/2 C(q1))^-1 (f - R(q1) - C(q1)(v + dt/2 a)),
///   v1 = v + dt/2 (a + a1),    C = alpha M + beta K(q) + G(q).
class CentralDifferences final : public Integrator {
 public:
  /// Starts at rest. @throws InputError as NewmarkIntegrator
  CentralDifferences(const ReducedSystem& system, double dt, GrowthLimit limit = {});
  CentralDifferences(const ReducedEnergy& energy, double dt, RayleighDamping damping = {})
      : CentralDifferences(ReducedSystem{&energy, damping}, dt) {}
  CentralDifferences(CentralDifferences&&) noexcept;
  CentralDifferences& operator=(CentralDifferences&&) noexcept;
  ~CentralDifferences() override;

  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME override;
  ReducedState state() const HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;
  [[nodiscard]] StepResult set_state(std::span<const double> q, std::span<const double> qdot,
                                     std::span<const double> f_ext) HAPTIC_REALTIME override;
  double dt() const HAPTIC_REALTIME override { return dt_; }

  /// As NewmarkIntegrator::set_system.
  void set_system(const ReducedSystem& system) HAPTIC_REALTIME;

 private:
  struct Memory;
  /// a_next = (M + weight C)^-1 (f - R - C v_half) at q_next. @returns false if it cannot be solved
  bool accelerate(std::span<const double> f_ext, double weight) HAPTIC_REALTIME;

  ReducedSystem system_;
  double dt_;
  GrowthLimit limit_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace haptic
