#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/block_islands.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// Which blocks of a step's unknowns sleep: those of islands in which nothing has moved faster than
/// a limit for some time. An island falls asleep and wakes as a whole.
///
/// Allocates in the constructor only. Source: docs/methods/multibody.md, "Sleeping".
class SleepingBlocks {
 public:
  /// @param bodies  number of blocks of bodies, the first ones; the others sleep with them
  /// @param speed  limit [m/s]; 0: nothing sleeps
  /// @param steps  that a block must have been slower, >= 1
  SleepingBlocks(std::uint32_t blocks, std::uint32_t bodies, double speed, std::int64_t steps);

  bool is_used() const HAPTIC_REALTIME { return speed_ > 0.0; }
  bool sleeps(std::uint32_t block) const HAPTIC_REALTIME { return sleeps_[block] != 0; }
  /// Number of blocks of bodies that sleep.
  std::uint32_t count() const HAPTIC_REALTIME { return count_; }

  /// Wakes a block and those that fell asleep together with it.
  void wake(std::uint32_t block) HAPTIC_REALTIME;
  /// Wakes all.
  void wake_all() HAPTIC_REALTIME;

  /// After a step.
  /// @param islands     of this step
  /// @param speeds      per block: bound on the speed of its points [m/s]
  /// @param stay_awake  per block: not 0 where its island must not sleep
  /// @returns blocks that fall asleep, ascending; valid until the next call
  std::span<const std::uint32_t> observe(const BlockIslands& islands,
                                         std::span<const double> speeds,
                                         std::span<const char> stay_awake) HAPTIC_REALTIME;

 private:
  std::uint32_t bodies_;
  double speed_;
  std::int64_t steps_;
  std::vector<char> sleeps_;
  std::vector<std::int64_t> slow_;    // steps since a block was fast
  std::vector<std::uint32_t> group_;  // first block of the island that fell asleep
  std::vector<std::uint32_t> fallen_;
  std::uint32_t count_ = 0;
};

}  // namespace haptic::solids
