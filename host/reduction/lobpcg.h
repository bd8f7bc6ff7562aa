#pragma once

#include <Eigen/Core>
#include <functional>

#include "host/fem/linear_solver.h"
#include "host/reduction/second_order_system.h"
#include "shared/progress.h"

namespace haptic {

/// The k lowest eigenpairs of A x = lambda M x on the M-complement of known vectors, by the locally
/// optimal block preconditioned conjugate gradient method: it needs no solution of A, where
/// Lanczos needs an exact one for each vector. Converges to a relative error of the vectors of
/// about 1e-9. Deterministic: fixed start block.
///
/// The space [X, P, W] is kept M-orthonormal. Source: Knyazev 2001; the directions P by Hetmaniuk &
/// Lehoucq 2006.
/// @param multiply_mass X -> M X
/// @param known n x c, M-orthonormal; c = 0: none
/// @param progress of the logarithm of the error; may be empty
/// @throws OperationError without convergence
SystemModes lobpcg(const PreconditionedOperator& A,
                   const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& multiply_mass,
                   const Eigen::MatrixXd& known, int k, const Progress& progress = {});

}  // namespace haptic
