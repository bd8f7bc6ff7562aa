#pragma once

#include <atomic>
#include <cstdint>

#include "shared/ipc/command_mailbox.h"
#include "shared/realtime.h"

namespace haptic {

/// A command after the supervisor checked it: a number where a key was.
struct ServoCommand {
  CommandKind kind = CommandKind::kStop;
  std::uint32_t parameter = 0;  ///< index into the ParameterTable, of kSet
  double value = 0.0;
};

/// One command at a time from the supervisor to the loop and its reply back; wait-free on both
/// sides.
class CommandChannel {
 public:
  /// Supervisor. @returns false while a command is under way
  bool post(const ServoCommand& command) {
    if (phase_.load(std::memory_order_acquire) != Phase::kEmpty) return false;
    command_ = command;
    phase_.store(Phase::kPosted, std::memory_order_release);
    return true;
  }
  /// Supervisor. @returns false until the loop has replied
  bool collect(CommandReply& reply) {
    if (phase_.load(std::memory_order_acquire) != Phase::kReplied) return false;
    reply = reply_;
    phase_.store(Phase::kEmpty, std::memory_order_release);
    return true;
  }

  /// Loop, at the cycle's boundary. @returns the command to obey, or nullptr
  const ServoCommand* pending() const HAPTIC_REALTIME {
    return phase_.load(std::memory_order_acquire) == Phase::kPosted ? &command_ : nullptr;
  }
  /// Loop, after pending() gave a command.
  void reply(const CommandReply& reply) HAPTIC_REALTIME {
    reply_ = reply;
    phase_.store(Phase::kReplied, std::memory_order_release);
  }

 private:
  enum class Phase : std::uint32_t { kEmpty, kPosted, kReplied };
  std::atomic<Phase> phase_{Phase::kEmpty};
  ServoCommand command_;
  CommandReply reply_{};
};

}  // namespace haptic
