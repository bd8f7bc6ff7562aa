#pragma once

#include <Eigen/Core>

#include "host/fem/linear_solver.h"
#include "host/fem/stvk_model.h"
#include "host/reduction/rest_stiffness.h"
#include "shared/progress.h"

namespace haptic {

/// The lowest modes of K x = lambda M x at rest.
struct LinearModes {
  Eigen::VectorXd eigenvalues;  ///< k, ascending [s^-2]
  Eigen::MatrixXd shapes;       ///< 3n x k, mass-orthonormal [kg^-1/2], zero at fixed vertices
  int solves = 0;               ///< number of right-hand sides solved
};

/// The k lowest modes of an anchored body, by block Lanczos on K^-1 M with full
/// reorthogonalisation: a block finds every copy of a multiple eigenvalue, which a single vector
/// does not. Source: docs/methods/reduced-dynamics.md, "Linear modes".
///
/// Deterministic: fixed start block; modes whose eigenvalues agree to 1e-8 are rotated so that a
/// fixed secondary form (displacement weighted by axis and by place) is diagonal; the sign makes
/// the largest component positive (the first one among components that agree to 1e-6).
/// @param rest_stiffness rest_stiffness(model), or factor_rest_stiffness(model)
/// @throws InputError if k is not in 1..3 n_free; OperationError without convergence
LinearModes linear_modes(const StvkModel& model, const LinearSolver& rest_stiffness, int k);
/// The same; by lobpcg where the operator is not exact.
/// @param rest_stiffness rest_stiffness(model)
/// @param progress       of lobpcg; may be empty
LinearModes linear_modes(const StvkModel& model, const PreconditionedOperator& rest_stiffness,
                         int k, const Progress& progress = {});

/// The same for a body without fixed vertices: the rigid modes, lambda = 0, come first. The elastic
/// ones are found on their M-complement, with a slightly negative shift.
/// @param max_factored rest_stiffness
LinearModes free_linear_modes(const StvkModel& model, int k, const Progress& progress = {},
                              int max_factored = kMaxFactoredDofs);

}  // namespace haptic
