#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "rt/dynamics/integrator.h"
#include "rt/dynamics/reduced_system.h"

namespace haptic {

/// The linear reduced model in closed form (docs/methods/reduced-dynamics.md, "Modal oscillators"):
///   q'' + (alpha I + beta K(0)) q' + K(0) q = f
/// decouples in the eigenvectors of K(0) into r damped oscillators. Each is advanced exactly for a
/// force that is constant over the step. Stable for every dt, without numerical damping; the
/// nonlinear terms of the energy are ignored.
class ModalOscillators final : public Integrator {
 public:
  /// Starts at rest. Evaluates K(0) and its eigenvectors once; allocates here only.
  /// @throws InputError as NewmarkIntegrator
  ModalOscillators(const ReducedEnergy& energy, double dt, RayleighDamping damping = {},
                   GrowthLimit limit = {});
  ModalOscillators(ModalOscillators&&) noexcept;
  ModalOscillators& operator=(ModalOscillators&&) noexcept;
  ~ModalOscillators() override;

  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME override;
  ReducedState state() const HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;
  [[nodiscard]] StepResult set_state(std::span<const double> q, std::span<const double> qdot,
                                     std::span<const double> f_ext) HAPTIC_REALTIME override;
  double dt() const HAPTIC_REALTIME override { return dt_; }

  /// Sets the material from the next step on: K(0) times `stiffness`, M = `density` I, alpha and
  /// beta times `damping`. Evaluates r exponentials and sines.
  /// @param stiffness, density > 0; damping >= 0
  void set_scales(double stiffness, double density, double damping) HAPTIC_REALTIME;

 private:
  struct Memory;
  struct Oscillator {
    double k, c;  ///< y'' + c y' + k y = force [s^-2, s^-1]
  };
  Oscillator oscillator(std::ptrdiff_t mode) const HAPTIC_REALTIME;
  void accelerate(std::span<const double> f_ext) HAPTIC_REALTIME;

  double dt_;
  RayleighDamping damping_;
  GrowthLimit limit_;
  double stiffness_scale_ = 1.0, density_scale_ = 1.0, damping_scale_ = 1.0;
  std::unique_ptr<Memory> memory_;
};

}  // namespace haptic
