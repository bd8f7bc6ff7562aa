#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rt/worlds/world.h"
#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// A command of a recording that a replay came to.
struct ReplayedCommand {
  std::uint64_t cycle = 0;  ///< that executed it
  std::string text;         ///< event_text: what, by whom
  bool of_world = false;    ///< changed the world; else the output to the device only
};

/// The commands of operators in a recording, executed again in the cycles that executed them.
class ReplayedCommands {
 public:
  /// @param events  of the log, in order @param world  not stepped yet; outlives this
  /// @throws OperationError if the world refuses a pull that the log's world accepted
  ReplayedCommands(const std::vector<EventRecord>& events, World& world);

  /// Call before the step of `cycle`. @throws OperationError if the world refuses a command that
  /// the log's world accepted
  void apply(std::uint64_t cycle);

  /// Those that apply() has come to.
  const std::vector<ReplayedCommand>& done() const { return done_; }

 private:
  struct Executed {
    EventRecord event;
    Pull pull;  ///< of kPull
  };
  bool change_world(const Executed& executed);
  bool set(const EventRecord& event);
  bool limit(const EventRecord& event);

  World& world_;
  std::vector<Executed> executed_;  ///< by cycle
  std::size_t next_ = 0;
  std::vector<ReplayedCommand> done_;
};

/// Events that a log lacks: a daemon keeps the last kEventCapacity only.
struct MissingEvents {
  std::uint64_t first = 0, last = 0;  ///< numbers
  /// First cycle that may have executed one of them.
  std::uint64_t from_cycle = 0;
};

/// @param first_cycle  of the log; its events begin with the daemon's first, or with the change to
///                     the scene of the log
/// @returns the first events that are missing; no value if none is
std::optional<MissingEvents> missing_events(const std::vector<EventRecord>& events,
                                            std::uint64_t first_cycle);

}  // namespace haptic
