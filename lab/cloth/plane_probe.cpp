#include "lab/cloth/plane_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic::lab {

PlaneProbe::PlaneProbe(double stiffness, double blend) : stiffness_(stiffness), blend_(blend) {
  if (!std::isfinite(stiffness) || stiffness < 0.0) {
    throw InputError("", "stiffness", fmt::format("{}", stiffness), "a number >= 0");
  }
  if (!std::isfinite(blend) || blend < 0.0) {
    throw InputError("", "blend", fmt::format("{}", blend), "a number >= 0");
  }
}

void PlaneProbe::set(const std::optional<cloth::HalfSpace>& plane) HAPTIC_REALTIME {
  plane_ = plane;
  changed_ = true;
}

Vector3 PlaneProbe::press(const Vector3& device) const HAPTIC_REALTIME {
  if (!plane_) return Vector3::Zero();
  const double depth = plane_->offset - plane_->normal.dot(device);
  return stiffness_ * std::max(0.0, depth) * plane_->normal;
}

Vector3 PlaneProbe::step(const Vector3& device, double dt) HAPTIC_REALTIME {
  const Vector3 pressed = press(device);
  if (changed_) {
    changed_ = false;
    from_ = last_ - pressed;
    left_ = blend_;
  }
  left_ = std::max(0.0, left_ - dt);
  last_ = pressed;
  if (left_ > 0.0) last_ += left_ / blend_ * from_;
  return last_;
}

}  // namespace haptic::lab
