#pragma once

#include <memory>

#include "host/fem/stvk_model.h"
#include "host/unreduced/full_dynamics.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

struct SubspaceNewmarkSettings {
  int iterations = 1;       ///< jmax >= 1
  double tolerance = 1e-8;  ///< stop when |residual|_2 is below this fraction of the forces in it
};

/// Implicit Newmark in a subspace with force and stiffness projected from the elements in every
/// iteration, U^T R(Uq) and U^T K(Uq) U: the direct route for large r, whose polynomials would not
/// fit (Krysl et al. 2001). Same scheme as rt/dynamics/newmark_integrator.h;
/// Theta(n r^2) a step.
class SubspaceNewmark final : public FullDynamics {
 public:
  /// Starts at rest. @param model outlives it
  /// @param basis 3n x r, mass-orthonormal, zero at fixed vertices
  /// @throws InputError if dt, damping, settings or the size of the basis do not hold
  SubspaceNewmark(const StvkModel& model, const Eigen::MatrixXd& basis, double dt,
                  RayleighDamping damping = {}, const SubspaceNewmarkSettings& settings = {});
  ~SubspaceNewmark() override;

  FullStepReport step(const Eigen::Ref<const Eigen::VectorXd>& f) override;
  /// u and v are projected into the subspace.
  void set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                 const Eigen::Ref<const Eigen::VectorXd>& v,
                 const Eigen::Ref<const Eigen::VectorXd>& f) override;
  double dt() const override;
  Eigen::VectorXd displacement() const override;
  Eigen::VectorXd velocity() const override;
  double strain_energy() const override;
  double kinetic_energy() const override;

  const Eigen::VectorXd& coordinates() const;  ///< q, r values

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace haptic
