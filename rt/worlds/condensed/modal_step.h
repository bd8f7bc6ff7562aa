#pragma once

#include <cstdint>

namespace haptic::condensed {

/// Integrator of the modes.
enum class ModalIntegrator : std::uint8_t {
  kImplicit,    ///< stiffness and damping at the step's end: backward Euler under kMultipliers
  kSymplectic,  ///< all forces of the step's beginning; only under kStaticsDriveDynamics
  kExact,       ///< free motion exact, contact force constant over the step; only kMultipliers
};

/// One step of a mode, q'' + d q' + k q = kappa f with the contact force f on it:
///   q+ = q_of_q q + q_of_rate q' + q_of_force f        q'+ likewise
/// A force that stays moves q to kappa f / k and q' to 0. The rest of the mode's compliance,
/// (1 - kappa) / k, is static. Source: docs/methods/static-dynamic.md, "Exact modes".
struct ModalStep {
  double stiffness;  ///< k [s^-2]
  double part;       ///< kappa: 1, and with kExact 1 - tan^2(w h / 4), 0 from two steps a period on
  double q_of_q, q_of_rate, rate_of_q, rate_of_rate;  ///< 1, s, 1/s, 1
  double q_of_force, rate_of_force;                   ///< s^2, s
};

/// @param k  > 0 [s^-2] @param d  >= 0 [s^-1] @param h  of the step [s], > 0
ModalStep modal_step(ModalIntegrator integrator, double k, double d, double h);

}  // namespace haptic::condensed
