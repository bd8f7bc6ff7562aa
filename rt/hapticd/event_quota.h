#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

namespace haptic {

/// Limits the events that the commands of one user add to telemetry. The ring of events has
/// kEventCapacity places for all users: without a limit, a flood of one user would overwrite the
/// events of others before a recorder has read them. Commands beyond the limit are counted.
///
/// A command that the loop has executed has a quota apart from that of all others (refused
/// commands, marks), because a replay of the recording needs it.
class EventQuota {
 public:
  static constexpr std::int64_t kBurst = 1024;      ///< events at once
  static constexpr std::int64_t kPerSecond = 2048;  ///< events per second after these

  /// @param executed  by the loop @param now_ns  monotonic time
  /// @returns whether the command is to be an event
  bool take(uid_t user, bool executed, std::int64_t now_ns);

  /// Commands of a user that were no events.
  struct LeftOut {
    uid_t user = 0;
    std::uint64_t commands = 0;
    bool has_executed = false;  ///< one of them was executed by the loop
  };
  /// What was left out since the last call that returned something; at most once a second.
  std::vector<LeftOut> collect(std::int64_t now_ns);

 private:
  /// Fills up at kPerSecond, to kBurst.
  struct Bucket {
    std::int64_t available = kBurst;
    std::int64_t counted_ns = 0;
    bool take(std::int64_t now_ns);
  };
  struct User {
    Bucket executed, other;
    LeftOut left_out;
  };
  std::map<uid_t, User> users_;  // of a group: few
  std::int64_t collected_ns_ = 0;
};

}  // namespace haptic
