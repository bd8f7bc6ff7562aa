#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace haptic {

/// Largest difference between a log and a second run of its hand motion through the same world.
struct ReplayOutcome {
  std::uint64_t cycles = 0;                   ///< compared: up to the first gap in the log
  std::map<std::string, double> differences;  ///< largest absolute one per column
  double largest() const;
};

/// Replays the hand motion of a log in the world of its scene and compares every number that the
/// world computed. Blocks that follow measured times (StateBlock::measured) are not compared.
/// `set` and `reset` commands in the log are applied in the cycles that executed them.
/// @param progress called with the fraction done; may be empty
/// @throws InputError if the log does not begin with cycle 0, or a model is no longer the one that
///         was logged
ReplayOutcome replay_log(const std::filesystem::path& log,
                         const std::function<void(double)>& progress = {});

}  // namespace haptic
