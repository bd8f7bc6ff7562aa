#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "host/fem/stvk_model.h"
#include "host/unreduced/full_dynamics.h"

namespace haptic {

enum class FullSolver {
  kDirect,      ///< K(u) assembled and factored by CHOLMOD in every Newton iteration
  kMatrixFree,  ///< conjugate gradients on element-wise products K(u) p, block Jacobi
  kLinear,      ///< R = K(0) u, one factor for the whole run
};

/// The elastic and viscous forces of the body and the systems m M + k K(u) + d C(u) of an implicit
/// step, on the free dofs; C(u) u' is strain-rate damping (Barbic 2007, eq 2.34).
class TangentSystem {
 public:
  virtual ~TangentSystem() = default;

  virtual double energy(const Eigen::VectorXd& u) const = 0;          ///< W(u) [J]
  virtual Eigen::VectorXd force(const Eigen::VectorXd& u) const = 0;  ///< R(u) [N]
  /// Moves the tangent to u.
  virtual void linearise(const Eigen::VectorXd& u) = 0;
  /// K p at the last linearisation.
  virtual Eigen::VectorXd multiply(const Eigen::VectorXd& p) const = 0;
  /// C v at the last linearisation; empty without viscosity.
  virtual Eigen::VectorXd viscous(const Eigen::VectorXd& v) const = 0;
  /// x with (m M + k K + d C) x = b, m and k > 0, d >= 0; if the matrix is indefinite, a descent
  /// direction (shifted system or truncated iteration), which is counted in `report`. With
  /// viscosity the direct solvers iterate too, with their factor of m M + k K as the
  /// preconditioner.
  /// @throws OperationError if there is neither
  virtual Eigen::VectorXd solve(double m, double k, double d, const Eigen::VectorXd& b,
                                FullStepReport& report) = 0;

 protected:
  TangentSystem() = default;
  TangentSystem(const TangentSystem&) = default;
  TangentSystem& operator=(const TangentSystem&) = default;
};

/// @param model outlives the system
/// Whether a group has a viscosity above zero.
bool is_viscous(std::span<const LameParameters> viscosity);

/// @param viscosity phi, psi [Pa s] >= 0 of every material group, or one for all; empty: none
/// @param cg_tolerance relative residual of the iterative solves
std::unique_ptr<TangentSystem> make_tangent_system(const StvkModel& model, FullSolver solver,
                                                   std::vector<LameParameters> viscosity,
                                                   double cg_tolerance);

}  // namespace haptic
