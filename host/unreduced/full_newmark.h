#pragma once

#include <memory>
#include <vector>

#include "host/unreduced/full_dynamics.h"
#include "host/unreduced/tangent_system.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

struct FullNewmarkSettings {
  FullSolver solver = FullSolver::kDirect;
  int iterations = 1;       ///< jmax >= 1; one is the semi-implicit step
  double tolerance = 1e-8;  ///< stop when |residual|_2 is below this fraction of the forces in it
  bool line_search = true;  ///< backtrack on the incremental potential
  double cg_tolerance = 1e-10;  ///< kMatrixFree, viscosity: relative residual of each system
  /// Strain-rate damping phi, psi [Pa s] >= 0 of every material group, or one for all; empty: none.
  std::vector<LameParameters> viscosity = {};
};

/// Implicit Newmark of the unreduced body, average acceleration, damping with the tangential
/// stiffness: the scheme of rt/dynamics/newmark_integrator.h, so a reduced and an unreduced run
/// differ by the subspace alone. Source: docs/methods/reduced-dynamics.md, "Unreduced dynamics".
///
/// A step is the minimum of the incremental potential
///   P(u) = 1/2 (a1 + alpha a4) |u - u^|_M^2 + W(u) - f.u + beta a4 (R(u).(u - u~) - W(u)),
/// whose gradient is the residual of the equation of motion, tangential damping included
/// (d/du [R.(u - u~) - W] = K (u - u~)). Strain-rate damping C(u) u' enters with C frozen at the
/// iterate, 1/2 u'.C u' / a4. The line search halves a Newton step until P decreases, so that steps
/// far beyond the linear range do not diverge; if the full step decreases P, it is the plain Newton
/// step. An indefinite matrix is shifted by a multiple of M (direct) or the iteration truncated
/// (matrix-free), so that the step stays a descent direction.
class FullNewmark final : public FullDynamics {
 public:
  /// Starts at rest. @param model outlives it @param dt [s] > 0
  /// @throws InputError if dt, damping or a setting is out of range
  FullNewmark(const StvkModel& model, double dt, RayleighDamping damping = {},
              const FullNewmarkSettings& settings = {});
  ~FullNewmark() override;

  FullStepReport step(const Eigen::Ref<const Eigen::VectorXd>& f) override;
  void set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                 const Eigen::Ref<const Eigen::VectorXd>& v,
                 const Eigen::Ref<const Eigen::VectorXd>& f) override;
  double dt() const override;
  Eigen::VectorXd displacement() const override;
  Eigen::VectorXd velocity() const override;
  double strain_energy() const override;
  double kinetic_energy() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace haptic
