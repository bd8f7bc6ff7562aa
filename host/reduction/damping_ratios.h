#pragma once

#include <Eigen/Core>

#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

/// Coefficients with damping ratio `first_ratio` at the lowest mode and `last_ratio` at the last
/// retained mode: xi = (alpha/w + beta w)/2, w = sqrt(lambda).
/// @param eigenvalues lambda of the retained modes, ascending, > 0 [s^-2]
/// Where the ratios would need a negative coefficient (they differ by more than w_last/w_first) or
/// there is one frequency only, the first is met exactly and the last as closely as non-negative
/// coefficients allow; damping_ratio() gives the value reached.
/// @throws InputError if a ratio is negative or not finite, or an eigenvalue is not > 0
RayleighDamping rayleigh_from_damping_ratios(const Eigen::Ref<const Eigen::VectorXd>& eigenvalues,
                                             double first_ratio, double last_ratio);

/// Damping ratio of a mode of angular frequency `omega` [rad/s].
double damping_ratio(const RayleighDamping& damping, double omega);

}  // namespace haptic
