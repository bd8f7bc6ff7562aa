#include "rt/worlds/cloth/hand_grip.h"

namespace haptic::cloth {

std::optional<std::uint32_t> HandGrip::nearest(const Vector3& device,
                                               std::span<const double> x) const HAPTIC_REALTIME {
  std::optional<std::uint32_t> found;
  double least = settings_.reach * settings_.reach;
  for (std::uint32_t i = 0; i < x.size() / 3; ++i) {
    const double distance = (at(x, i) - device).squaredNorm();
    if (!(found ? distance < least : distance <= least)) continue;
    least = distance;
    found = i;
  }
  return found;
}

void HandGrip::update(std::uint64_t buttons, const Vector3& device, std::span<const double> x,
                      double press) HAPTIC_REALTIME {
  const bool down = settings_.button && ((buttons >> *settings_.button) & 1U) != 0;
  if (down && !down_ && !held_) {
    held_ = nearest(device, x);
    by_gesture_ = false;
  } else if (!down && down_ && !by_gesture_) {
    held_.reset();
  }
  down_ = down;
  if (!settings_.press_force) return;
  if (held_) {
    pressed_s_ = 0.0;
    if (by_gesture_ && press > settings_.slip_force) {
      held_.reset();
      slipped_ = true;
    }
    return;
  }
  if (press <= 0.0) slipped_ = false;
  const bool presses = press >= *settings_.press_force && !slipped_;
  pressed_s_ = presses ? pressed_s_ + dt_ : 0.0;
  if (pressed_s_ < settings_.press_s) return;
  held_ = nearest(device, x);
  by_gesture_ = true;
  pressed_s_ = 0.0;
}

void HandGrip::reset() HAPTIC_REALTIME {
  held_.reset();
  down_ = by_gesture_ = slipped_ = false;
  pressed_s_ = 0.0;
}

}  // namespace haptic::cloth
