#pragma once

#include <cmath>
#include <cstdint>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Spreads what a new step of the world changes in the pose that a faster servo renders over the
/// servo's cycles of a world period, as far as that takes energy from the hand.
///
/// At a new step the pose goes on from where it was, and the difference from that of the step falls
/// to zero in equal parts, the first with the step itself. What the difference adds to the wrench
/// does work on the hand. An account of this work is kept over all steps: once it has given more
/// than it has taken, a difference that would give more ends at once, and beyond an overdraft of
/// 10 uJ every one. A debt is forgiven in 0.1 s. So a port that is passive without this gives 0.1
/// mW more at most, and one cycle's work. Source: docs/methods/contact-and-coupling.md, "Response
/// within a world step".
class StepFade {
 public:
  static constexpr double kOverdraft_J = 1e-5, kForgiven_s = 0.1;

  /// @param cycles  of the servo in a world period, >= 1  @param cycle_s  of the servo [s]
  StepFade(std::uint32_t cycles, double cycle_s)
      : cycles_(cycles), kept_(std::exp(-cycle_s / kForgiven_s)) {}

  /// No difference, and nothing in the account.
  void clear() HAPTIC_REALTIME;
  /// A new step whose pose is behind what was rendered by this, in world axes [m; rad].
  void begin(const Vector6& difference) HAPTIC_REALTIME;
  /// Difference in this cycle.
  const Vector6& difference() const HAPTIC_REALTIME { return difference_; }
  /// After the hand has moved by `way` [m; rad] since the last cycle: books the work of what the
  /// difference added, and lets the difference fall.
  void advance(const Vector6& way) HAPTIC_REALTIME;
  /// @param added  what the difference adds to the wrench on the hand in this cycle [N; N m]
  /// @returns false, and ends the difference, if the account does not allow it
  bool allows(const Vector6& added) HAPTIC_REALTIME;

  double taken() const HAPTIC_REALTIME { return taken_; }  ///< J

 private:
  std::uint32_t cycles_, left_ = 0;
  double kept_;  // of a debt, a cycle
  Vector6 difference_ = Vector6::Zero(), added_ = Vector6::Zero(), way_ = Vector6::Zero();
  double taken_ = 0.0;
};

}  // namespace haptic
