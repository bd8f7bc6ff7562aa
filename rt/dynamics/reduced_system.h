#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "rt/dynamics/rayleigh_damping.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/viscous_damping.h"
#include "shared/realtime.h"

namespace haptic {

/// What an integrator advances (docs/methods/reduced-dynamics.md, "Reduced equations of motion"):
///   M q'' + (alpha M + beta K(q) + s G(q)) q' + R(q) = f
/// Non-owning views; all of one dimension r.
struct ReducedSystem {
  const ReducedEnergy* energy = nullptr;  ///< R, K; outlives its user
  RayleighDamping damping{};
  const ViscousDamping* viscosity = nullptr;  ///< G, or none
  double viscosity_scale = 1.0;               ///< s >= 0
  /// M, r x r, symmetric and positive definite; empty: I, as in a mass-orthonormal basis.
  std::span<const double> mass{};
};

enum class StepResult : std::uint8_t {
  kOk,
  kDiverged,  ///< the system cannot be solved, or a value is not finite
  kGrown,     ///< finite, but beyond the GrowthLimit
};

/// View on an integrator's state, r values each; follows it and lives as long.
struct ReducedState {
  std::span<const double> q;      ///< m kg^1/2
  std::span<const double> qdot;   ///< m kg^1/2 / s
  std::span<const double> qddot;  ///< m kg^1/2 / s^2
};

/// What a state may grow to before a step refuses it. |q|^2 is the integral of rho |u|^2 where
/// M = I: |q| over the root of the body's mass is the root mean square of the displacement.
struct GrowthLimit {
  double norm = std::numeric_limits<double>::infinity();  ///< of |q| [m kg^1/2], > 0
  double step = std::numeric_limits<double>::infinity();  ///< of |q| in one step, > 0
  /// Of |q''|: a step beyond it is cut, not refused; Newmark alone. Barbic 2007, section 3.10.2.
  double acceleration = std::numeric_limits<double>::infinity();
};

/// @throws InputError naming `integrator` unless dt > 0, damping and viscosity scale are >= 0,
/// and mass and viscosity fit the energy
void require_valid(std::string_view integrator, double dt, const ReducedSystem& system);

}  // namespace haptic
