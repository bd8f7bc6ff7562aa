#pragma once

#include <Eigen/Core>

#include "host/fem/stvk_model.h"

namespace haptic {

struct StaticOptions {
  int load_steps = 10;       ///< the load grows linearly to f, >= 1
  int max_iterations = 200;  ///< Newton iterations per load step
  double tolerance = 1e-10;  ///< |R(u) - f|_2 <= tolerance |f|_2 on the free dofs
  /// Start displacement (3n) or empty for rest; with a start, the load steps begin there.
  Eigen::VectorXd start;
};

struct StaticSolution {
  Eigen::VectorXd u;          ///< 3n [m], zero at fixed vertices
  int newton_iterations = 0;  ///< over all load steps
  double residual = 0.0;      ///< |R(u) - f|_2 / |f|_2 on the free dofs
  bool stable = true;         ///< K(u) is positive definite at the solution
};

/// Static equilibrium R(u) = f (docs/methods/reduced-dynamics.md, "Unreduced dynamics"): Newton by
/// load steps, with backtracking. An indefinite K(u) is shifted by M until it is positive
/// definite, so that every step is a descent direction of the potential W(u) - f.u. A load that
/// preserves a symmetry of the body can still lead to an unstable equilibrium; `stable` is then
/// false. Where rounding ends the progress before the tolerance is met, up to 1e3 times the
/// tolerance is accepted; `residual` is the value reached.
/// @param f 3n [N]; entries at fixed vertices are ignored
/// @throws OperationError if a load step does not converge
StaticSolution solve_static(const StvkModel& model, const Eigen::Ref<const Eigen::VectorXd>& f,
                            const StaticOptions& options = {});

}  // namespace haptic
