#pragma once

#include "host/fem/static_solver.h"

namespace haptic {

/// Static equilibrium under f, reached from the one before: Newton straight from `last` while the
/// load moves on; where that does not go through or ends at an unstable equilibrium, and where
/// there is no last one, by load steps from rest.
/// @param last 3n [m] or empty
/// @throws OperationError if neither converges
StaticSolution continue_static(const StvkModel& model, const Eigen::Ref<const Eigen::VectorXd>& f,
                               const Eigen::VectorXd& last);

}  // namespace haptic
