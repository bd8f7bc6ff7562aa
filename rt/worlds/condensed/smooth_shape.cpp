#include "rt/worlds/condensed/smooth_shape.h"

#include <algorithm>

namespace haptic::condensed {

SmoothShape::SmoothShape(const CondensedDynamics& dynamics, const CorotatedShape* corotated)
    : dynamics_(&dynamics), corotated_(corotated), u_(dynamics.contacts().dof(), 0.0) {
  const std::size_t count = std::min(kMaxModes, dynamics.contacts().modes());
  for (std::size_t i = 0; i < count; ++i) modes_.push_back(dynamics.contacts().mode(i).data());
}

void SmoothShape::update() HAPTIC_REALTIME {
  std::fill(u_.begin(), u_.end(), 0.0);
  dynamics_->contacts().kernels().add(modes_.data(), dynamics_->pose_q().data(), modes_.size(),
                                      u_.size(), u_.data());
  if (corotated_) corotated_->turn_modal(u_);
}

void SmoothShape::reset() HAPTIC_REALTIME {
  std::fill(u_.begin(), u_.end(), 0.0);
}

}  // namespace haptic::condensed
