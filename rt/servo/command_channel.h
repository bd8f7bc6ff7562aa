#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "rt/worlds/pull.h"
#include "shared/ipc/command.h"
#include "shared/realtime.h"

namespace haptic {

/// A command that the supervisor has checked; the key is replaced by a number.
struct ServoCommand {
  CommandKind kind = CommandKind::kStop;
  std::uint32_t parameter = 0;  ///< index into the ParameterTable, of kSet
  double value = 0.0;
  std::int64_t deadline_ns = std::numeric_limits<std::int64_t>::max();  ///< CLOCK_MONOTONIC
  std::uint64_t epoch = 0;  ///< epoch in which it was requested; 0: any
  Pull pull = {};           ///< of kPull
};

/// Between ordinary threads and the loop, wait-free on every side. The supervisor sends one command
/// at a time and gets its reply. A stop is separate and waits for nothing.
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
  /// Supervisor: cancels the command. @returns false if the loop has already taken it
  bool withdraw() {
    Phase posted = Phase::kPosted;
    return phase_.compare_exchange_strong(posted, Phase::kEmpty, std::memory_order_acq_rel);
  }

  /// Any thread: the loop stops at its next cycle, even if a command is pending.
  /// @returns a ticket for stop_served()
  std::uint64_t request_stop() { return stops_wanted_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  bool stop_served(std::uint64_t ticket) const {
    return stops_served_.load(std::memory_order_acquire) >= ticket;
  }
  /// Any thread, after stop_served(): the loop's state after the newest stop.
  CommandReply stop_reply() const {
    const std::uint64_t both = after_stop_.load(std::memory_order_relaxed);
    CommandReply reply{CommandAnswer::kApplied,
                       static_cast<ServoState>(both >> 32),
                       static_cast<FaultKind>(both & 0xffffffff),
                       1,
                       0.0,
                       0.0};
    reply.epoch = epoch();
    reply.cycle = stop_cycle_.load(std::memory_order_relaxed);
    return reply;
  }
  /// Any thread: begins an epoch for a cause outside the loop: what operators have seen is
  /// outdated.
  void begin_epoch() HAPTIC_REALTIME { epoch_.fetch_add(1, std::memory_order_acq_rel); }
  /// Counts the changes that an operator must check again (CommandGreeting::epoch); starts at 1.
  std::uint64_t epoch() const HAPTIC_REALTIME { return epoch_.load(std::memory_order_acquire); }

  /// Loop, in every cycle and after every command: begins another epoch if the force was turned on
  /// or off, or a fault was latched, since the last call.
  void note(ServoState state) HAPTIC_REALTIME {
    const Standing now = standing(state);
    if (now != standing_) begin_epoch();
    standing_ = now;
  }
  /// Loop. @returns how many stops were requested so far; stop_done() marks them as served
  std::uint64_t stops_wanted() const HAPTIC_REALTIME {
    return stops_wanted_.load(std::memory_order_acquire);
  }
  bool stop_pending() const HAPTIC_REALTIME {
    return stops_wanted() != stops_served_.load(std::memory_order_relaxed);
  }
  void stop_done(std::uint64_t ticket, ServoState state, FaultKind fault,
                 std::uint64_t cycle) HAPTIC_REALTIME {
    after_stop_.store(
        std::uint64_t{static_cast<std::uint32_t>(state)} << 32 | static_cast<std::uint32_t>(fault),
        std::memory_order_relaxed);
    stop_cycle_.store(cycle, std::memory_order_relaxed);
    stops_served_.store(ticket, std::memory_order_release);
  }
  /// Loop, at the start of a cycle. @returns the command, which belongs to the loop from here on,
  /// or nullptr
  const ServoCommand* take() HAPTIC_REALTIME {
    if (phase_.load(std::memory_order_relaxed) != Phase::kPosted) return nullptr;
    Phase posted = Phase::kPosted;
    const bool taken =
        phase_.compare_exchange_strong(posted, Phase::kTaken, std::memory_order_acq_rel);
    return taken ? &command_ : nullptr;
  }
  /// Loop. @returns why a command may not be executed any more, or kPending
  CommandAnswer refusal_reason(const ServoCommand& command,
                               std::int64_t now_ns) const HAPTIC_REALTIME {
    if (now_ns > command.deadline_ns) return CommandAnswer::kExpired;
    if (command.epoch != 0 && command.epoch != epoch()) return CommandAnswer::kStateChanged;
    return CommandAnswer::kPending;
  }
  /// Loop, after take() gave a command.
  void reply(const CommandReply& reply) HAPTIC_REALTIME {
    reply_ = reply;
    phase_.store(Phase::kReplied, std::memory_order_release);
  }

 private:
  enum class Phase : std::uint32_t { kEmpty, kPosted, kTaken, kReplied };
  /// Starting, homing and idle count as one: no force, and no difference that matters to an
  /// operator.
  enum class Standing : std::uint8_t { kReady, kForce, kFault };
  static constexpr Standing standing(ServoState state) {
    if (state == ServoState::kFault) return Standing::kFault;
    return state == ServoState::kStarting || state == ServoState::kHoming ||
                   state == ServoState::kIdle
               ? Standing::kReady
               : Standing::kForce;
  }

  std::atomic<Phase> phase_{Phase::kEmpty};
  ServoCommand command_;
  CommandReply reply_{};
  std::atomic<std::uint64_t> stops_wanted_{0}, stops_served_{0};
  std::atomic<std::uint64_t> after_stop_{0}, stop_cycle_{0};  // state and fault in one word
  std::atomic<std::uint64_t> epoch_{1};
  Standing standing_ = Standing::kReady;  // of the loop
};

}  // namespace haptic
