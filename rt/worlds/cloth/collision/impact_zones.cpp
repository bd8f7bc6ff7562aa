#include "rt/worlds/cloth/collision/impact_zones.h"

#include <algorithm>
#include <utility>

namespace haptic::cloth {

ImpactZones::ImpactZones(std::size_t particles)
    : parent_(particles),
      count_(particles),
      held_(particles),
      mass_(particles),
      moves_(3 * particles),
      velocities_(3 * particles) {
  clear();
}

void ImpactZones::clear() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
  std::fill(count_.begin(), count_.end(), 1u);
}

void ImpactZones::join_all() HAPTIC_REALTIME {
  clear();
  std::fill(parent_.begin(), parent_.end(), 0u);
  if (!count_.empty()) count_[0] = static_cast<std::uint32_t>(count_.size());
}

std::uint32_t ImpactZones::zone_of(std::uint32_t particle) HAPTIC_REALTIME {
  while (parent_[particle] != particle) {
    parent_[particle] = parent_[parent_[particle]];
    particle = parent_[particle];
  }
  return particle;
}

bool ImpactZones::join(const FeaturePair& pair) HAPTIC_REALTIME {
  bool joined = false;
  for (std::size_t i = 1; i < 4; ++i) {
    std::uint32_t a = zone_of(pair.particles[0]), b = zone_of(pair.particles[i]);
    if (a == b) continue;
    if (count_[a] < count_[b]) std::swap(a, b);
    parent_[b] = a;
    count_[a] += count_[b];
    joined = true;
  }
  return joined;
}

std::size_t ImpactZones::move_as_one(PairMotion& motion) HAPTIC_REALTIME {
  std::fill(held_.begin(), held_.end(), static_cast<unsigned char>(0));
  std::fill(mass_.begin(), mass_.end(), 0.0);
  std::fill(moves_.begin(), moves_.end(), 0.0);
  std::fill(velocities_.begin(), velocities_.end(), 0.0);
  std::size_t joined = 0;
  const auto size = static_cast<std::uint32_t>(parent_.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t zone = zone_of(i);
    if (count_[zone] == 1) continue;
    ++joined;
    if (motion.constraints.hold(i) != ParticleConstraints::Hold::kFree) held_[zone] = 1;
    mass_[zone] += motion.masses[i];
    at(moves_, zone) += motion.masses[i] * at(motion.moves, i);
    at(velocities_, zone) += motion.masses[i] * at(motion.velocities, i);
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t zone = zone_of(i);
    if (count_[zone] == 1) continue;
    motion.changed[i] = 1;
    if (held_[zone] != 0) {
      at(motion.moves, i).setZero();
      at(motion.velocities, i).setZero();
    } else {
      at(motion.moves, i) = at(moves_, zone) / mass_[zone];
      at(motion.velocities, i) = at(velocities_, zone) / mass_[zone];
    }
  }
  return joined;
}

}  // namespace haptic::cloth
