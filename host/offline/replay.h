#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/offline/replay_comparison.h"
#include "host/offline/replayed_commands.h"

namespace haptic {

/// Largest difference between a log and a second run of its hand motion through the same world.
struct ReplayOutcome {
  std::uint64_t cycles = 0;                   ///< compared
  std::map<std::string, double> differences;  ///< largest absolute one per column
  std::optional<ReplayComparison::Difference> first_difference;
  std::vector<ReplayedCommand> commands;  ///< executed again
  std::vector<std::string> notes;         ///< what could not be followed, and why; a line each
  double largest() const;
};

/// Replays the hand motion of a log in the world of its scene and compares every number that the
/// world computed. Blocks that follow measured times (StateBlock::measured) are not compared.
/// Commands that change the world, the end of homing and failures of the world are repeated in
/// their cycles. The scene is the text in the log, or its file if the log has none.
/// @param progress called with the fraction done; may be empty
/// @throws InputError if the log does not begin with the first cycle of its scene, or a model
///         is no longer the one that was logged
/// @throws OperationError if the world refuses a command or fails where the log's did not
ReplayOutcome replay_log(const LogReader& log, const std::function<void(double)>& progress = {});

}  // namespace haptic
