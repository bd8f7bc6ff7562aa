#pragma once

#include <array>
#include <cstdint>

#include "shared/ipc/servo_state.h"

namespace haptic {

/// What a storm of faults did to the real cycle.
struct StormResult {
  std::uint64_t drawn = 0;     ///< faults
  std::uint64_t cycles = 0;    ///< of HapticCycle, virtual time
  std::uint64_t demanded = 0;  ///< faults that met an engaged servo and must be latched
  std::array<std::uint64_t, kFaultKinds> latched{};  ///< by kind, wherever it came from
  /// Of those drawn that must be latched, by the kind that they must be latched as: all; those that
  /// met an engaged servo; those of them that were latched as that kind, in time. The rest of the
  /// second came a cycle after something the pushed hand did by itself.
  std::array<std::uint64_t, kFaultKinds> drawn_as{}, met{}, latched_as_met{};

  // Violations: all zero, or something is wrong.
  std::uint64_t missed = 0;           ///< demanded, but not latched in that very cycle, or, where
                                      ///< a fault needs several to be one, within those
  std::uint64_t wrong_kind = 0;       ///< latched as something that did not happen
  std::uint64_t let_loose = 0;        ///< a latched fault that ended without a reset
  std::uint64_t over_limit = 0;       ///< a force or torque on the hand above its limit
  std::uint64_t pushed_in_fault = 0;  ///< a force on the hand one cycle after the fault, or later
  std::uint64_t not_finite = 0;       ///< a force on the hand that is not a number

  double largest_force = 0.0;   ///< on the hand [N]
  double largest_torque = 0.0;  ///< N·m

  std::uint64_t violations() const {
    return missed + wrong_kind + let_loose + over_limit + pushed_in_fault + not_finite;
  }
};

inline constexpr double kStormForce = 8.0;   ///< limit [N]
inline constexpr double kStormTorque = 0.3;  ///< limit [N·m]

/// `faults` faults, drawn at random over all kinds of the device's fault script and over what a
/// hand, an operator, a world, a guard and a machine can do, one after the other through the real
/// HapticCycle on the simulated device: an operator resets and engages again after each. Virtual
/// time; the same seed gives the same storm.
StormResult run_storm(std::uint64_t faults, std::uint64_t seed);

}  // namespace haptic
