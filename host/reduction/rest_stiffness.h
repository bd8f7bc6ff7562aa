#pragma once

#include <memory>

#include "host/fem/linear_solver.h"
#include "host/fem/sparse_factorization.h"
#include "host/fem/stvk_model.h"

namespace haptic {

/// Factor K(0) of an anchored body.
/// @throws InputError if the fixed vertices leave a rigid motion free; OperationError if K(0) is
///         singular for another reason (a mechanism in the mesh)
SparseFactorization factor_rest_stiffness(const StvkModel& model);

/// Free degrees of freedom above which multigrid takes less time than a factor.
inline constexpr int kMaxFactoredDofs = 120'000;

/// K(0) - shift M of a body on its free dofs: a factor, or multigrid for the cells of a grid with
/// more than `max_factored` dofs. Serves the modes and the modal derivatives.
/// @param shift <= 0 [s^-2]; without one the body must be anchored
/// @throws as factor_rest_stiffness
std::unique_ptr<PreconditionedOperator> rest_stiffness(const StvkModel& model, double shift = 0.0,
                                                       int max_factored = kMaxFactoredDofs);

}  // namespace haptic
