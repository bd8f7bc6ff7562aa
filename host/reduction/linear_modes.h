#pragma once

#include <Eigen/Core>

#include "host/fem/sparse_factorization.h"
#include "host/fem/stvk_model.h"

namespace haptic {

/// The lowest modes of K x = lambda M x at rest.
struct LinearModes {
  Eigen::VectorXd eigenvalues;  ///< k, ascending [s^-2]
  Eigen::MatrixXd shapes;       ///< 3n x k, mass-orthonormal [kg^-1/2], zero at fixed vertices
  int solves = 0;               ///< number of right-hand sides solved
};

/// Factor K(0) of an anchored body; serves the modes and the modal derivatives.
/// @throws InputError if the fixed vertices leave a rigid motion free; OperationError if K(0) is
///         singular for another reason (a mechanism in the mesh)
SparseFactorization factor_rest_stiffness(const StvkModel& model);

/// The k lowest modes of an anchored body, by block Lanczos on K^-1 M with full
/// reorthogonalisation: a block finds every copy of a multiple eigenvalue, which a single vector
/// does not. Source: docs/methods/reduced-dynamics.md, "Linear modes".
///
/// Deterministic: fixed start block; modes whose eigenvalues agree to 1e-8 are rotated so that a
/// fixed secondary form (displacement weighted by axis and by place) is diagonal; the sign makes
/// the largest component positive (the first one among components that agree to 1e-6).
/// @param rest_stiffness factor_rest_stiffness(model)
/// @throws InputError if k is not in 1..3 n_free; OperationError without convergence
LinearModes linear_modes(const StvkModel& model, const SparseFactorization& rest_stiffness, int k);

/// The same for a body with free rigid motions: shift-invert with a slightly negative shift; the
/// rigid modes come first with lambda = 0 up to rounding.
LinearModes free_linear_modes(const StvkModel& model, int k);

}  // namespace haptic
