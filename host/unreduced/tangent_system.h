#pragma once

#include <Eigen/Core>
#include <memory>

#include "host/fem/stvk_model.h"
#include "host/unreduced/full_dynamics.h"

namespace haptic {

enum class FullSolver {
  kDirect,      ///< K(u) assembled and factored by CHOLMOD in every Newton iteration
  kMatrixFree,  ///< conjugate gradients on element-wise products K(u) p, block Jacobi
  kLinear,      ///< R = K(0) u, one factor for the whole run
};

/// The elastic force of the body and the systems m M + k K(u) of an implicit step, on the free
/// dofs.
class TangentSystem {
 public:
  virtual ~TangentSystem() = default;

  virtual double energy(const Eigen::VectorXd& u) const = 0;          ///< W(u) [J]
  virtual Eigen::VectorXd force(const Eigen::VectorXd& u) const = 0;  ///< R(u) [N]
  /// Moves the tangent to u.
  virtual void linearise(const Eigen::VectorXd& u) = 0;
  /// K p at the last linearisation.
  virtual Eigen::VectorXd multiply(const Eigen::VectorXd& p) const = 0;
  /// x with (m M + k K) x = b, m and k > 0; where the matrix is indefinite, a descent direction
  /// (shifted system or truncated iteration) counted in `report`.
  /// @throws OperationError if neither can be found
  virtual Eigen::VectorXd solve(double m, double k, const Eigen::VectorXd& b,
                                FullStepReport& report) = 0;

 protected:
  TangentSystem() = default;
  TangentSystem(const TangentSystem&) = default;
  TangentSystem& operator=(const TangentSystem&) = default;
};

/// @param model outlives the system
/// @param cg_tolerance relative residual of kMatrixFree
std::unique_ptr<TangentSystem> make_tangent_system(const StvkModel& model, FullSolver solver,
                                                   double cg_tolerance);

}  // namespace haptic
