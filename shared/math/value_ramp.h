#pragma once

#include <cmath>

#include "shared/realtime.h"

namespace haptic {

/// A value that an operator may change while it is in use: it changes linearly to the target.
class ValueRamp {
 public:
  explicit ValueRamp(double value = 0.0) : value_(value), target_(value) {}

  double value() const HAPTIC_REALTIME { return value_; }    ///< now
  double target() const HAPTIC_REALTIME { return target_; }  ///< last set

  /// @param over_s seconds from here to `target`, >= 0; 0: at the next advance
  void set(double target, double over_s) HAPTIC_REALTIME {
    target_ = target;
    rate_ = over_s > 0.0 ? (target - value_) / over_s : 0.0;
  }
  void finish() HAPTIC_REALTIME { value_ = target_; }

  /// `dt` seconds pass. @returns whether the value changed
  bool advance(double dt) HAPTIC_REALTIME {
    if (value_ == target_) return false;
    const double left = target_ - value_, step = rate_ * dt;
    value_ = std::abs(step) > 0.0 && std::abs(step) < std::abs(left) ? value_ + step : target_;
    return true;
  }

 private:
  double value_, target_;
  double rate_ = 0.0;  // per second
};

}  // namespace haptic
