#include "lab/cloth/particle_grip.h"

#include <fmt/format.h>

#include <cmath>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/error.h"

namespace haptic::lab {

ParticleGrip::ParticleGrip(double stiffness, const Vector3& weight, double reach)
    : stiffness_(stiffness), weight_(weight), reach_(reach) {
  if (!std::isfinite(stiffness) || stiffness < 0.0) {
    throw InputError("", "stiffness", fmt::format("{}", stiffness), "a number >= 0");
  }
  if (!weight.allFinite()) throw InputError("", "weight", "not finite", "finite numbers");
  if (!std::isfinite(reach) || reach <= 0.0) {
    throw InputError("", "reach", fmt::format("{}", reach), "a number > 0");
  }
}

void ParticleGrip::update(bool button, const Vector3& device,
                          std::span<const double> x) HAPTIC_REALTIME {
  if (button && !down_) {
    double least = reach_ * reach_;
    for (std::uint32_t i = 0; i < x.size() / 3; ++i) {
      const double distance = (cloth::at(x, i) - device).squaredNorm();
      // A later particle has to be nearer; the first may be at the reach.
      if (!(held_ ? distance < least : distance <= least)) continue;
      least = distance;
      held_ = i;
    }
  } else if (!button) {
    held_.reset();
  }
  down_ = button;
}

Vector3 ParticleGrip::force(const Vector3& device,
                            std::span<const double> x) const HAPTIC_REALTIME {
  if (!held_) return Vector3::Zero();
  return stiffness_ * (cloth::at(x, *held_) - device) + weight_;
}

}  // namespace haptic::lab
