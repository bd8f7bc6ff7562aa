#pragma once

#include <span>

#include "rt/dynamics/reduced_system.h"
#include "shared/realtime.h"

namespace haptic {

/// Advances the reduced coordinates of one body by steps of a fixed dt.
class Integrator {
 public:
  Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;
  virtual ~Integrator() = default;

  /// One step under the external reduced force `f_ext` (r values, U^T f with f in N), constant over
  /// the step. If the result is not kOk, the state is unchanged.
  [[nodiscard]] virtual StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME = 0;

  virtual ReducedState state() const HAPTIC_REALTIME = 0;

  /// Sets q = q' = q'' = 0.
  virtual void reset() HAPTIC_REALTIME = 0;
  /// Starts from q, q' (r values each) with the q'' that satisfies the equation of motion under
  /// `f_ext`. @returns kDiverged, state unchanged, if a value is not finite or M is singular
  [[nodiscard]] virtual StepResult set_state(std::span<const double> q,
                                             std::span<const double> qdot,
                                             std::span<const double> f_ext) HAPTIC_REALTIME = 0;

  virtual double dt() const HAPTIC_REALTIME = 0;  ///< s

 protected:
  Integrator(Integrator&&) noexcept = default;
  Integrator& operator=(Integrator&&) noexcept = default;
};

}  // namespace haptic
