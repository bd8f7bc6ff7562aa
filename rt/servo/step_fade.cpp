#include "rt/servo/step_fade.h"

namespace haptic {

void StepFade::clear() HAPTIC_REALTIME {
  left_ = 0;
  difference_.setZero();
  added_.setZero();
  way_.setZero();
  taken_ = 0.0;
}

void StepFade::begin(const Vector6& difference) HAPTIC_REALTIME {
  left_ = cycles_ - 1;
  difference_ = static_cast<double>(left_) / static_cast<double>(cycles_) * difference;
}

void StepFade::advance(const Vector6& way) HAPTIC_REALTIME {
  taken_ -= added_.dot(way);
  if (taken_ < 0.0) taken_ *= kept_;
  added_.setZero();
  way_ = way;
  if (left_ == 0) return;
  --left_;
  difference_ *= static_cast<double>(left_) / static_cast<double>(left_ + 1);
}

bool StepFade::allows(const Vector6& added) HAPTIC_REALTIME {
  if (taken_ < -kOverdraft_J || (taken_ < 0.0 && added.dot(way_) > 0.0)) {
    left_ = 0;
    difference_.setZero();
    return false;
  }
  added_ = added;
  return true;
}

}  // namespace haptic
