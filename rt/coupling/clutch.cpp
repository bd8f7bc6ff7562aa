#include "rt/coupling/clutch.h"

#include <algorithm>

#include "shared/assert.h"

namespace haptic {

Clutch::Clutch(int button, double fade_s, double dt)
    : button_(button), rise_(fade_s > 0.0 ? dt / fade_s : 1.0) {
  HAPTIC_DEMAND(button < 32 && fade_s >= 0.0 && dt > 0.0);
}

Pose Clutch::follow(const Pose& hand, std::uint32_t buttons) HAPTIC_REALTIME {
  const bool pressed = button_ >= 0 && (buttons >> button_ & 1u) != 0;
  if (pressed) {
    if (!met_) seen_ = hand;  // pressed from the first cycle on
    met_ = true;
    open_ = moved_ = true;
    force_scale_ = 0.0;
    return seen_;
  }
  met_ = true;
  if (open_) {  // continue from the pose at the press
    open_ = false;
    offset_ = seen_.position - hand.position;
    turn_ = (hand.orientation.conjugate() * seen_.orientation).normalized();
  } else if (moved_) {
    seen_.position = hand.position + offset_;
    seen_.orientation = (hand.orientation * turn_).normalized();
  } else {
    seen_ = hand;  // never opened: equal to the hand bit for bit
  }
  force_scale_ = std::min(1.0, force_scale_ + rise_);
  return seen_;
}

void Clutch::reset() HAPTIC_REALTIME {
  offset_.setZero();
  turn_.setIdentity();
  open_ = moved_ = met_ = false;
  force_scale_ = 1.0;
}

}  // namespace haptic
