#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace haptic {

/// Largest difference between a log and the same hand played through the same world again.
struct ReplayOutcome {
  std::uint64_t cycles = 0;                   ///< compared; all of the log but what follows a gap
  std::map<std::string, double> differences;  ///< largest absolute one per column
  double largest() const;
};

/// Plays the hand of a log through the world of the scene it names and compares every number the
/// world computed: what a daemon felt can be examined offline, and its log can be trusted. Blocks
/// that follow measured times (StateBlock::measured) are not compared.
///
/// Commands are not in a log: after a `set` or a `reset` the replay goes its own way.
/// @throws InputError if the log does not begin with cycle 0, or a model is no longer the one that
///         was logged
ReplayOutcome replay_log(const std::filesystem::path& log);

}  // namespace haptic
