#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/contact_impulse.h"
#include "rt/worlds/cloth/collision/feature_pair.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Groups of particles that move as one, so that no two parts of a group can meet.
///
/// A zone of free particles has the mean move and velocity of its particles by mass: momentum is
/// kept and kinetic energy does not grow. A zone with a particle that is not free stands still in
/// this step; a particle that follows a target falls behind it.
/// Source: docs/methods/cloth.md, "Self-collision response"; Provot 1997.
class ImpactZones {
 public:
  explicit ImpactZones(std::size_t particles);

  /// Every particle by itself.
  void clear() HAPTIC_REALTIME;
  /// One zone of the zones of the four particles. @returns false if they were of one
  bool join(const FeaturePair& pair) HAPTIC_REALTIME;
  /// One zone of all particles.
  void join_all() HAPTIC_REALTIME;
  /// Moves every zone of more than one particle as one. @returns particles in such zones
  std::size_t move_as_one(PairMotion& motion) HAPTIC_REALTIME;

 private:
  std::uint32_t zone_of(std::uint32_t particle) HAPTIC_REALTIME;

  std::vector<std::uint32_t> parent_, count_;  // union by number of particles
  std::vector<unsigned char> held_;
  std::vector<double> mass_;
  ParticleVectors moves_, velocities_;  // by mass
};

}  // namespace haptic::cloth
