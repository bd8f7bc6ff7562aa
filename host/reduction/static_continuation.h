#pragma once

#include "host/fem/static_solver.h"

namespace haptic {

/// Static equilibrium under f, continued from the previous one: Newton from `last`; if it does not
/// converge or ends at an unstable equilibrium, or if `last` is empty, by load steps from rest.
/// @param last 3n [m] or empty
/// @throws OperationError if neither converges
StaticSolution continue_static(const StvkModel& model, const Eigen::Ref<const Eigen::VectorXd>& f,
                               const Eigen::VectorXd& last);

}  // namespace haptic
