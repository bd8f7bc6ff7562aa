#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "rt/worlds/cloth/collision/feature_pair.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The motion of particles in a step, as contact may change it.
struct PairMotion {
  const ParticleConstraints& constraints;
  std::span<const double> masses;    ///< n values [kg]
  std::span<double> moves;           ///< 3n values [m]
  std::span<double> velocities;      ///< 3n values [m/s]
  std::span<unsigned char> changed;  ///< n values, set to 1 where a motion was changed
  double dt = 0.0;                   ///< s
};

/// Makes the first feature of a pair get ahead of the second by at least `wanted` [m] in the step,
/// along the normal; below 0 it limits the approach.
///
/// The part that the velocities approach is an inelastic impulse, with Coulomb's friction; it
/// changes velocities and moves, and never raises the kinetic energy. What is then missing is a
/// push: it changes moves alone. Both act by the inverse masses as constraints allow, and add
/// no linear momentum.
/// Source: docs/methods/cloth.md, "Self-collision response"; Bridson et al. 2002.
/// @returns whether anything was changed
bool separate(const FeaturePair& pair, const PairDistance& at, double wanted, double friction,
              PairMotion& motion) HAPTIC_REALTIME;

}  // namespace haptic::cloth
