#include "rt/coupling/limit_cycle_guard.h"

#include <algorithm>

namespace haptic {

void LimitCycleGuard::observe(const Vector6& step) HAPTIC_REALTIME {
  Vector6 scaled = step;
  scaled.tail<3>() *= length_;
  const double now = scaled.norm(), before = last_.norm();
  // Steps within rounding of the body's size are not reversals.
  const bool turns =
      scaled.dot(last_) < 0.0 && now > kSettlingRatio * before && now > 1e-12 * length_;
  last_ = scaled;
  if (!turns) {
    turns_ = 0;
    factor_ = std::min(1.0, factor_ * kGrowth);
    return;
  }
  if (++turns_ < kTurns) return;
  turns_ = 0;
  factor_ = std::max(kMin, 0.5 * factor_);
}

void LimitCycleGuard::reset() HAPTIC_REALTIME {
  factor_ = 1.0;
  last_.setZero();
  turns_ = 0;
}

}  // namespace haptic
