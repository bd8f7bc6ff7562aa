#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Detects oscillation of the quasi-static step and scales the step down until it settles
/// (docs/methods/contact-and-coupling.md, "Limit cycles"). Newton's method with a moving target can
/// end in a limit cycle, which feels like buzzing. The step is scaled instead of limited in length,
/// because that ends a cycle of any amplitude, also below the limit.
///
/// A step is a reversal if it points against the previous one and is longer than kSettlingRatio
/// times it. kTurns reversals in a row halve the factor; every step without a reversal raises it by
/// kGrowth.
class LimitCycleGuard {
 public:
  /// @param length  lever arm that converts rotations to metres [m], > 0
  explicit LimitCycleGuard(double length) : length_(length) {}

  /// Factor of the step in this cycle, kMin..1.
  double factor() const HAPTIC_REALTIME { return factor_; }
  /// Records the step of the held body in this cycle: (Dx [m]; Dw [rad]).
  void observe(const Vector6& step) HAPTIC_REALTIME;
  void reset() HAPTIC_REALTIME;

  static constexpr double kMin = 1.0 / 16.0;
  static constexpr int kTurns = 3;  ///< reversals in a row that count as a limit cycle
  static constexpr double kSettlingRatio =
      0.8;                                 ///< a settling step is at most this fraction of the last
  static constexpr double kGrowth = 1.02;  ///< of the factor, per cycle without a reversal

 private:
  double length_;
  double factor_ = 1.0;
  Vector6 last_ = Vector6::Zero();
  int turns_ = 0;
};

}  // namespace haptic
