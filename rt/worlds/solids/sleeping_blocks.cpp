#include "rt/worlds/solids/sleeping_blocks.h"

#include <algorithm>

namespace haptic::solids {

SleepingBlocks::SleepingBlocks(std::uint32_t blocks, std::uint32_t bodies, double speed,
                               std::int64_t steps)
    : bodies_(bodies),
      speed_(speed),
      steps_(steps),
      sleeps_(blocks),
      slow_(blocks),
      group_(blocks) {
  fallen_.reserve(blocks);
}

void SleepingBlocks::wake(std::uint32_t block) HAPTIC_REALTIME {
  slow_[block] = 0;
  if (!sleeps(block)) return;
  const std::uint32_t group = group_[block];
  for (std::uint32_t b = 0; b < sleeps_.size(); ++b) {
    if (!sleeps(b) || group_[b] != group) continue;
    sleeps_[b] = 0;
    slow_[b] = 0;
    if (b < bodies_) --count_;
  }
}

void SleepingBlocks::wake_all() HAPTIC_REALTIME {
  std::ranges::fill(sleeps_, 0);
  std::ranges::fill(slow_, 0);
  count_ = 0;
}

std::span<const std::uint32_t> SleepingBlocks::observe(
    const BlockIslands& islands, std::span<const double> speeds,
    std::span<const char> stay_awake) HAPTIC_REALTIME {
  fallen_.clear();
  if (!is_used()) return fallen_;
  for (std::uint32_t block = 0; block < slow_.size(); ++block) {
    if (sleeps(block)) continue;
    const bool slow = speeds[block] < speed_ && stay_awake[block] == 0;
    slow_[block] = slow ? slow_[block] + 1 : 0;
  }
  for (std::uint32_t i = 0; i < islands.count(); ++i) {
    const std::span<const std::uint32_t> blocks = islands.blocks(i);
    const auto is_awake = [&](std::uint32_t block)
                              HAPTIC_REALTIME { return sleeps(block) || slow_[block] < steps_; };
    if (blocks[0] >= bodies_ || std::ranges::any_of(blocks, is_awake)) continue;
    for (const std::uint32_t block : blocks) {
      sleeps_[block] = 1;
      group_[block] = blocks[0];
      fallen_.push_back(block);
      if (block < bodies_) ++count_;
    }
  }
  std::ranges::sort(fallen_);
  return fallen_;
}

}  // namespace haptic::solids
