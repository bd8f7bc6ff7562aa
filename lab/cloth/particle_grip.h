#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Drags a particle of a cloth while a button is down.
///
/// The particle follows the device (`ParticleConstraints::follow`), and the hand feels a spring to
/// it and the weight of the cloth. The spring is stretched where the particle lags: by a step of
/// the cloth, or by what else holds it.
/// Source: docs/methods/cloth.md, "Picking".
class ParticleGrip {
 public:
  /// @param stiffness  of the spring, k [N/m], >= 0
  /// @param weight     M g of what hangs on the hand [N]
  /// @param reach      farthest particle that is picked [m], > 0
  /// @throws InputError if a value is out of its range
  ParticleGrip(double stiffness, const Vector3& weight, double reach);

  /// Picks the nearest particle when the button goes down, of equals the first, and lets go when
  /// it goes up. Nothing is picked beyond the reach, or where the device is not finite.
  /// @param device  position [m]   @param x  particles [m], 3n values
  void update(bool button, const Vector3& device, std::span<const double> x) HAPTIC_REALTIME;

  std::optional<std::uint32_t> held() const HAPTIC_REALTIME { return held_; }

  /// Force on the hand, k (x_held - device) + M g; zero if nothing is held. [N]
  Vector3 force(const Vector3& device, std::span<const double> x) const HAPTIC_REALTIME;

 private:
  double stiffness_;
  Vector3 weight_;
  double reach_;
  bool down_ = false;
  std::optional<std::uint32_t> held_;
};

}  // namespace haptic::lab
