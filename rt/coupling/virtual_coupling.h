#pragma once

#include <cstdint>

#include "rt/coupling/coupling_law.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Stiffness that the Newton step assigns to a saturated coupling (Barbic 2007, Section 4.9).
enum class SaturationGradient : std::uint8_t {
  kSecant,   ///< slope of the line to zero at M; a step in free space ends at M
  kTangent,  ///< exact derivative (Barbic 2007, Eq 4.41); radial stiffness decays exponentially
};

struct CouplingSettings {
  SpringLaw force{400.0};       ///< k_VC [N/m] and plateau F_max [N]
  SpringLaw torque{1.0};        ///< k_T [N·m] (small-angle stiffness k_T/2) and clip T_max [N·m]
  double static_damping = 0.5;  ///< alpha in [0, 1): part of the gap left after a free-space cycle
  double max_step = 0.6e-3;     ///< d_max, largest motion of the SO per cycle [m], > 0
  double max_rotation = 6.28e-3;  ///< theta_max, largest rotation per cycle [rad], > 0
  double bounding_radius = 0.1;   ///< of the held body about its origin [m], > 0
  SaturationGradient gradient = SaturationGradient::kSecant;
};

enum class CouplingStatus : std::uint8_t { kOk, kNotFinite };

/// Wrench on the SO and its derivative d(force, torque)/d(Dx, Dw).
struct CouplingLoad {
  Wrench wrench;
  Matrix6 gradient;
};

/// Quasi-static six-degree virtual coupling between the manipulandum M (the hand, scaled) and the
/// simulation object SO (docs/methods/contact-and-coupling.md, "Virtual coupling").
///
/// A cycle:  load = simulated(M, SO);  contact at SO;  advance(M, load, contact, SO);
///           wrench on the hand: HandCoupling.
/// Poses are in the simulated world, wrenches about the body's origin in world axes. Only the
/// constructor throws; nothing allocates.
class VirtualCoupling {
 public:
  /// @throws InputError if a setting is out of range or not a number; infinite maxima are allowed
  explicit VirtualCoupling(const CouplingSettings& settings);

  const CouplingSettings& settings() const HAPTIC_REALTIME { return settings_; }
  /// @returns false, and changes nothing, if a setting is out of range
  [[nodiscard]] bool set_settings(const CouplingSettings& settings) HAPTIC_REALTIME;

  /// Saturated wrench on the SO and the gradient of the Newton step.
  CouplingLoad simulated(const Pose& manipulandum, const Pose& held) const HAPTIC_REALTIME;

  /// One damped, speed-limited Newton step of the SO (docs/methods/contact-and-coupling.md,
  /// "Quasi-static step"); damping first, then the limit. On kNotFinite `held` is unchanged.
  /// @param shortened  additional factor of the step (LimitCycleGuard), in (0, 1]
  [[nodiscard]] CouplingStatus advance(const Pose& manipulandum, const CouplingLoad& coupling,
                                       const Wrench& contact, const Matrix6& contact_gradient,
                                       Pose& held, double shortened = 1.0) const HAPTIC_REALTIME;

 private:
  CouplingSettings settings_;
};

}  // namespace haptic
