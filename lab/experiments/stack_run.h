#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lab/experiments/bowl_stack.h"
#include "lab/multibody/body_stepper.h"
#include "lab/multibody/penetration_probe.h"

namespace haptic {

/// What happened to a stack that fell.
struct StackRun {
  double end_s = 0.0;           ///< time simulated; shorter than asked for if not stable
  bool went_on = true;          ///< every step could be made
  double gain = 0.0;            ///< largest energy above that at the start, relative
  std::uint64_t crossings = 0;  ///< points that passed the middle of a wall
  double deepest = 0.0;         ///< over the thickness of a wall
  std::uint32_t contacts = 0;   ///< most points in contact
  bool misses_pairs = false;    ///< ended since bowls came close whose contact is not searched
  int nested = 0;               ///< bowls that stand in the one before, at the end
  double speed = 0.0;           ///< of the fastest bowl over the last observation [m/s]
  double search_ms = 0.0, solve_ms = 0.0, step_ms = 0.0, step_p99_ms = 0.0;  ///< medians, p99

  /// Energy grows by at most 1 %, no bowl passes through another one, and none is deeper in
  /// another or in the ground than half a wall.
  bool is_stable() const {
    return went_on && gain <= kGain && crossings == 0 && deepest <= kDeepest;
  }
  /// Why it is not stable; empty: it is.
  std::string fault() const;
  static constexpr double kGain = 0.01, kDeepest = 0.5;
};

/// Lets a stack fall; stops where it is not stable. Penetration is measured at the ends of steps,
/// every millisecond or, if that is longer, every step.
/// @param dt  of a step [s]
/// @param seen  called after each observation with the time and the poses
StackRun run_stack(BodyStepper& bodies, const BowlStack& stack, PenetrationProbe& probe, double dt,
                   double duration,
                   const std::function<void(double, std::span<const Pose>)>& seen = {});

/// Largest stable step, by doubling or halving from `dt` and then bisection to 5 % [s].
/// @param stable   whether a run with a step is stable
/// @param largest  no longer step is tried
double largest_stable_step(double dt, double largest, const std::function<bool(double)>& stable);

}  // namespace haptic
