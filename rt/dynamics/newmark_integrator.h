#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "rt/dynamics/rayleigh_damping.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/realtime.h"

namespace haptic {

enum class StepResult : std::uint8_t { kOk, kDiverged };

/// View on an integrator's state, r values each; follows it and lives as long.
struct ReducedState {
  std::span<const double> q;      ///< m kg^1/2
  std::span<const double> qdot;   ///< m kg^1/2 / s
  std::span<const double> qddot;  ///< m kg^1/2 / s^2
};

/// Newton iteration inside one Newmark step.
struct NewtonSettings {
  std::uint32_t iterations = 1;  ///< jmax >= 1; one is the semi-implicit step of the real-time loop
  double tolerance = 0.0;        ///< stop early when |residual|_2 is below; >= 0
};

/// Implicit Newmark in the subspace, one Newton step per call unless told otherwise.
///
/// Advances  M q'' + D(q) q' + R(q) = f_ext  with average acceleration (beta = 1/4, gamma = 1/2),
/// M = I in a mass-orthonormal basis, D = alpha I + beta K(q).
/// Source: spec reduced-dynamics 2.17; Barbic & James 2005, Appendix C.
class NewmarkIntegrator {
 public:
  /// Starts at rest, q = q' = q'' = 0.
  /// @param energy  reduced StVK energy, r coordinates; outlives the integrator
  /// @param dt      step [s], > 0
  /// @throws InputError if dt, damping or the Newton settings are out of range
  NewmarkIntegrator(const ReducedEnergy& energy, double dt, RayleighDamping damping = {},
                    NewtonSettings newton = {});
  NewmarkIntegrator(NewmarkIntegrator&&) noexcept;
  NewmarkIntegrator& operator=(NewmarkIntegrator&&) noexcept;
  ~NewmarkIntegrator();

  /// One step under the external reduced force `f_ext` (r values, U^T f with f in N).
  /// Costs one evaluation of force and stiffness and r^3/3 for each Newton iteration. Cholesky
  /// first; where the system matrix is indefinite, LDL^T, accepted if it solves to 1e-8.
  /// @returns kDiverged if the matrix cannot be solved or a value is not finite (or its energy
  /// would
  ///          not be); the state is then the last good one
  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME;

  ReducedState state() const HAPTIC_REALTIME;

  /// Back to rest.
  void reset() HAPTIC_REALTIME;
  /// Starts from q, q' (r values each) with the q'' that satisfies the equation of motion under
  /// `f_ext`. @returns kDiverged, state unchanged, if a value is not finite
  [[nodiscard]] StepResult set_state(std::span<const double> q, std::span<const double> qdot,
                                     std::span<const double> f_ext) HAPTIC_REALTIME;

  double dt() const HAPTIC_REALTIME { return dt_; }

 private:
  struct Memory;

  const ReducedEnergy* energy_;
  double dt_;
  RayleighDamping damping_;
  NewtonSettings newton_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace haptic
