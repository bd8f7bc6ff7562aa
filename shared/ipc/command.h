#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "shared/ipc/servo_state.h"
#include "shared/ipc/shared_words.h"
#include "shared/records.h"

/// The packets between operators and a daemon, over the Unix sockets of the run folder
/// (SOCK_SEQPACKET; group `haptic-operator`):
///
///   NAME.commands   a greeting, then a reply to each command; one at a time per connection
///   NAME.stop       kStop only, handled by a separate thread of the daemon without a queue
///
/// The daemon trusts no packet: it checks the size, every field and the sender's credentials as
/// given by the kernel. A command is dropped when its connection closes or its deadline passes.
namespace haptic {

enum class CommandKind : std::uint32_t {
  kEngage = 1,    ///< idle -> engaged, the force ramps in
  kRelease = 2,   ///< engaged -> idle
  kStop = 3,      ///< any state -> fault (operator_stop); from engaged through stopping, at once
                  ///< when given twice
  kReset = 4,     ///< fault -> idle (through homing where the device needs it), world at rest
  kSet = 5,       ///< change one parameter
  kLoad = 6,      ///< change the scene; answered once it runs or is refused
  kHome = 7,      ///< homing: the device is in its reference pose
  kTakeover = 8,  ///< the client becomes the operator
  kPull = 9,      ///< pull a point of a body with a spring, or let it go
  kMark = 10,     ///< note a text in the events, for any operator in any state
};

inline constexpr std::uint32_t kCommandKinds = 10;

constexpr std::string_view name(CommandKind kind) {
  constexpr std::string_view kNames[] = {"",     "engage", "release",  "stop", "reset", "set",
                                         "load", "home",   "takeover", "pull", "mark"};
  const auto i = static_cast<std::size_t>(kind);
  return i > 0 && i < std::size(kNames) ? kNames[i] : "unknown";
}

enum class CommandAnswer : std::uint32_t {
  kPending = 0,
  kApplied = 1,
  kWrongState = 2,    ///< refused: not in this state
  kUnknownKey = 3,    ///< refused: no such parameter
  kOutOfRange = 4,    ///< refused: value outside the parameter's range or not finite
  kOutOfReach = 5,    ///< refused: the hand is outside the workspace or too fast to engage
  kMalformed = 6,     ///< refused: a field of the command is impossible
  kShuttingDown = 7,  ///< refused: the daemon is shutting down
  kSceneRefused =
      8,  ///< refused: the scene is invalid, or does not fit this daemon; the text says why
  kSceneFailed = 9,    ///< the scene could not be made ready; the text says why
  kBusy = 10,          ///< refused: another scene is being loaded
  kNotEnabled = 11,    ///< refused: the button of the enabling device is not held
  kNoGuard = 12,       ///< refused: no live guard for the same device
  kStateChanged = 13,  ///< refused: the state has changed since the request
  kExpired = 14,       ///< refused: its deadline has passed
  kHeld = 15,          ///< refused: another operator has the device; the text says who
  kNotPulled = 16,     ///< refused: the world has no such point to pull; the text says why
};

constexpr std::string_view reason(CommandAnswer answer) {
  switch (answer) {
    case CommandAnswer::kPending:
      return "no answer";
    case CommandAnswer::kApplied:
      return "applied";
    case CommandAnswer::kWrongState:
      return "not possible in this state";
    case CommandAnswer::kUnknownKey:
      return "no such parameter";
    case CommandAnswer::kOutOfRange:
      return "value out of range";
    case CommandAnswer::kOutOfReach:
      return "the hand is outside the workspace or moves too fast";
    case CommandAnswer::kMalformed:
      return "malformed command";
    case CommandAnswer::kShuttingDown:
      return "the daemon is shutting down";
    case CommandAnswer::kSceneRefused:
      return "the scene is invalid";
    case CommandAnswer::kSceneFailed:
      return "the scene could not be made ready";
    case CommandAnswer::kBusy:
      return "another scene is being loaded";
    case CommandAnswer::kNotEnabled:
      return "the enabling device is not held";
    case CommandAnswer::kNoGuard:
      return "no live guard for this device";
    case CommandAnswer::kStateChanged:
      return "the state has changed since the command was prepared";
    case CommandAnswer::kExpired:
      return "its deadline has passed";
    case CommandAnswer::kHeld:
      return "another operator has the device";
    case CommandAnswer::kNotPulled:
      return "the point cannot be pulled";
  }
  return "unknown answer";
}

HAPTIC_RECORD(PullRequest);

/// A command of an operator.
struct Command {
  static constexpr std::size_t kSubjectLength = 64;
  static constexpr std::size_t kTextLength = 448;
  static constexpr std::size_t kClientLength = 32;
  CommandKind kind;
  std::uint32_t reserved;  ///< 0
  double value;            ///< of kSet, else 0
  /// What is changed: of kSet the parameter; of kPull the body, empty: let go. Zero-terminated,
  /// zero-padded; else all zero.
  char subject[kSubjectLength];
  /// Of kLoad the absolute path of the scene, which the daemon's rights open; of kMark the note
  /// (is_mark_text). Padded as `subject`.
  char text[kTextLength] = {};
  std::int64_t deadline_ns = 0;     ///< CLOCK_MONOTONIC; not executed later; 0: none
  std::uint64_t epoch = 0;          ///< of kEngage: the greeting's; 0: whatever the state was
  char client[kClientLength] = {};  ///< name of the client program, padded as `subject`
  PullRequest pull = {};            ///< of kPull with a body; else zero
};

/// The daemon's reply to a command.
struct CommandReply {
  static constexpr std::size_t kTextLength = 256;
  CommandAnswer answer;
  ServoState state;  ///< after the command
  FaultKind fault;
  std::uint32_t executed;       ///< 1 where the loop took the command, in `cycle`
  double minimum, maximum;      ///< range of the parameter where answer is kOutOfRange
  std::uint64_t epoch = 0;      ///< after the command
  std::uint64_t cycle = 0;      ///< that took it; else the newest one then
  char text[kTextLength] = {};  ///< one line, zero-terminated; empty where the answer is sufficient
};

/// The daemon's first packet on a new connection.
struct CommandGreeting {
  static constexpr std::uint64_t kMagic = 0x32444D4354504148;  // "HAPTCMD2"
  std::uint64_t magic;
  std::uint64_t layout_hash;  ///< kCommandLayoutHash of the daemon
  std::uint64_t instance;     ///< of the daemon (PulseRecord)
  /// Counts the changes that an operator must check again: force on, force off, faults, another
  /// scene. An engage that was requested in another epoch is refused.
  std::uint64_t epoch;
};

static_assert(std::is_trivially_copyable_v<Command> && std::is_trivially_copyable_v<CommandReply> &&
              std::is_trivially_copyable_v<CommandGreeting>);

inline constexpr std::uint64_t kCommandLayoutHash =
    LayoutHash()
        .add({sizeof(Command), offsetof(Command, subject), offsetof(Command, text),
              offsetof(Command, deadline_ns), offsetof(Command, client), offsetof(Command, pull),
              sizeof(PullRequest), sizeof(CommandReply), offsetof(CommandReply, epoch),
              offsetof(CommandReply, text), kCommandKinds})
        .value();

/// Whether every field is possible: kind known, reserved zero, value finite, subject
/// terminated, printable and present for kSet, perhaps for kPull, else absent, the pull finite and
/// in range with a body and else zero, text an absolute path without control characters for kLoad,
/// a note for kMark, else absent, client printable and terminated, deadline not negative.
bool is_well_formed(const Command& command);

}  // namespace haptic
