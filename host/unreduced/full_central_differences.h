#pragma once

#include <memory>

#include "host/fem/stvk_model.h"
#include "host/unreduced/full_dynamics.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

/// Largest angular frequency of K(0) x = w^2 M_lumped x [rad/s], by block Lanczos on element-wise
/// products, converged to 1e-8 of w^2; unlike a power iteration it does not approach the limit
/// slowly from below. No factor, no assembled stiffness.
double largest_angular_frequency(const StvkModel& model);

/// Largest stable step at rest [s]: 2/w_max without damping (2 pi/w, Barbic 2007, section 2.9.1, is
/// unstable); beta K u' is taken at the half step, which shortens it to
/// 2/w_max (sqrt(1 + xi^2) - xi), xi = beta w_max/2.
double stable_step(double largest_angular_frequency, RayleighDamping damping);

/// Explicit central differences of the unreduced body with lumped mass
/// (docs/methods/reduced-dynamics.md, "Central differences"):
///   u1 = u + dt v_half,  a1 = (1 + alpha dt/2)^-1 [M^-1 (f - R(u1) - beta K(u1) v_half) - alpha
///   v_half],  v1 = v_half + dt/2 a1,  v_half = v + dt/2 a.
/// No system is solved. The limit is that at rest; it is lower where the body stiffens.
class FullCentralDifferences final : public FullDynamics {
 public:
  /// Starts at rest. @param model outlives it @param dt [s], 0 < dt <= stable_step
  /// @throws InputError if dt or damping is out of range, or dt above the limit (both are named)
  FullCentralDifferences(const StvkModel& model, double dt, RayleighDamping damping = {});
  ~FullCentralDifferences() override;

  FullStepReport step(const Eigen::Ref<const Eigen::VectorXd>& f) override;
  void set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                 const Eigen::Ref<const Eigen::VectorXd>& v,
                 const Eigen::Ref<const Eigen::VectorXd>& f) override;
  double dt() const override;
  Eigen::VectorXd displacement() const override;
  Eigen::VectorXd velocity() const override;
  double strain_energy() const override;
  double kinetic_energy() const override;

  double highest_frequency() const;  ///< w_max at rest [rad/s]
  double largest_step() const;       ///< stable_step [s]

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace haptic
