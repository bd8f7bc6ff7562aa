#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Detects that the quasi-static step oscillates instead of settling, and takes a smaller
/// part of it until it settles (docs/methods/contact-and-coupling.md, "Limit cycles"): Newton's
/// method on a moving target may end in a limit cycle, felt as buzzing. A smaller part of the step
/// rather than a smaller longest step: that ends a cycle of any amplitude, below the limit too.
///
/// A step that points back against the one before and is hardly shorter counts as a turn; a few
/// turns in a row halve the part, and every step without one lets it grow again.
class LimitCycleGuard {
 public:
  /// @param length  rotations count as motion at this distance [m], > 0
  explicit LimitCycleGuard(double length) : length_(length) {}

  /// Part of the step for this cycle, kSmallest..1.
  double factor() const HAPTIC_REALTIME { return factor_; }
  /// What the held body did in this cycle: (Dx [m]; Dw [rad]).
  void observe(const Vector6& step) HAPTIC_REALTIME;
  void reset() HAPTIC_REALTIME;

  static constexpr double kSmallest = 1.0 / 16.0;
  static constexpr int kTurns = 3;        ///< in a row that count as a limit cycle
  static constexpr double kHardly = 0.8;  ///< a settling step is shorter than this part of the last
  static constexpr double kGrowth = 1.02;  ///< of the factor a cycle without a turn

 private:
  double length_;
  double factor_ = 1.0;
  Vector6 last_ = Vector6::Zero();
  int turns_ = 0;
};

}  // namespace haptic
