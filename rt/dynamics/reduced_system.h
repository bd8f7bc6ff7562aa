#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "rt/dynamics/coordinate_release.h"
#include "rt/dynamics/rayleigh_damping.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/viscous_damping.h"
#include "shared/realtime.h"

namespace haptic {

/// Equation of motion that an integrator advances:
///   M q'' + (alpha M + beta K(q) + s G(q)) q' + R(q) = f
/// Non-owning views; all of one dimension r. The energy and the viscosities may have more
/// coordinates, behind these r, which stay where they are during a step.
/// Source: docs/methods/reduced-dynamics.md, "Reduced equations of motion".
struct ReducedSystem {
  const ReducedEnergy* energy = nullptr;  ///< R, K; must outlive the integrator
  RayleighDamping damping{};
  const ViscousDamping* viscosity = nullptr;  ///< G; nullptr: none
  double viscosity_scale = 1.0;               ///< s >= 0
  /// M, r x r, symmetric and positive definite; empty: I, as in a mass-orthonormal basis.
  std::span<const double> mass{};
  /// Values of the energy's coordinates behind the r of the equation [m kg^1/2].
  std::span<const double> fixed{};
  /// Added to R and K; of as many coordinates as the equation. Implicit Newmark only.
  CoordinateRelease release{};

  /// r; at most that of the energy.
  std::uint32_t dimension() const HAPTIC_REALTIME {
    return energy->dimension() - static_cast<std::uint32_t>(fixed.size());
  }
};

enum class StepResult : std::uint8_t {
  kOk,
  kDiverged,  ///< the system cannot be solved, or a value is not finite
  kGrown,     ///< finite, but beyond the GrowthLimit
};

/// View on the current state of an integrator, r values each; valid as long as the integrator.
struct ReducedState {
  std::span<const double> q;      ///< m kg^1/2
  std::span<const double> qdot;   ///< m kg^1/2 / s
  std::span<const double> qddot;  ///< m kg^1/2 / s^2
};

/// Limits beyond which a step is rejected. For M = I, |q|^2 is the integral of rho |u|^2, so |q|
/// divided by the square root of the body's mass is the root-mean-square displacement.
struct GrowthLimit {
  double norm = std::numeric_limits<double>::infinity();  ///< of |q| [m kg^1/2], > 0
  double step = std::numeric_limits<double>::infinity();  ///< of |q_next - q| in one step, > 0
  /// Of |q''| [m kg^1/2 / s^2]: a step beyond it is shortened, not rejected; Newmark only.
  /// Barbic 2007, section 3.10.2.
  double acceleration = std::numeric_limits<double>::infinity();
};

/// @throws InputError naming `integrator` unless dt > 0, damping and viscosity scale are >= 0,
/// and mass and viscosity fit the energy
void require_valid(std::string_view integrator, double dt, const ReducedSystem& system);

}  // namespace haptic
