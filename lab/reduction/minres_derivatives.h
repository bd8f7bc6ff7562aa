#pragma once

#include <Eigen/Core>

#include "host/fem/stvk_model.h"
#include "host/reduction/linear_modes.h"

namespace haptic::lab {

/// Which matrix keeps the singular K - lambda_i M of a free body's derivatives solvable.
enum class ClusterRegulariser {
  kMass,       ///< lambda_i (M Psi)(M Psi)^T over the cluster: PhiU comes out M-orthogonal to it
  kEuclidean,  ///< c Psi Psi^T, as published; PhiU is made M-orthogonal afterwards
};

/// `FreeDerivatives::solve(i)` by the regularised system of Barbic 2007, section 2.8.7, and MINRES:
/// slower, but without a factor. Source: docs/methods/reduced-dynamics.md, "Free bodies".
/// @param modes         free_linear_modes, with every known mode of the cluster of mode i
/// @param first, count  the elastic modes that take part
/// @returns PhiU_ij for all j of one i (0..count-1): 3n x count
Eigen::MatrixXd minres_derivatives(const StvkModel& model, const LinearModes& modes, int first,
                                   int count, int i, ClusterRegulariser regulariser);

}  // namespace haptic::lab
