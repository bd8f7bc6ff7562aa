#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Takes away the velocity that stretches springs further (Vassilev et al. 2001).
///
/// For each spring with l > s_max r whose ends part, with the unit vector d from i to j, the
/// tangential velocities (v . d) d change and the normal ones stay. With the direction of motion
/// v_dir, that of gravity and wind plus that of an object that the cloth lies on, and
/// c = d . v_dir / |v_dir|:
///   |c| <= 0.3, or v_dir = 0   both get the mean
///   c > 0.3                    i is behind and gets j's
///   c < -0.3                   j is behind and gets i's
/// An end that is fixed keeps its own, which the other gets.
/// Source: docs/methods/cloth.md, "Inverse dynamics".
class VelocityLimiter {
 public:
  static constexpr double kAcross = 0.3;

  /// Takes the springs of every kind.
  /// @param most  s_max, >= 1
  /// @throws InputError if it is out of its range
  VelocityLimiter(const cloth::ClothSystem& system, double most);

  /// @param v_other   velocity that gravity and wind give in a step [m/s], e.g. g h + wind
  /// @param v_object  velocity of the object that each particle lies on [m/s]: 3n values, or none
  /// @returns how many springs were limited
  std::size_t apply(const cloth::ParticleConstraints& constraints, const Vector3& v_other,
                    std::span<const double> v_object, std::span<const double> x,
                    std::span<double> v) const HAPTIC_REALTIME;

 private:
  std::vector<std::uint32_t> first_, second_;
  std::vector<double> longest_;  // s_max r
};

}  // namespace haptic::lab
