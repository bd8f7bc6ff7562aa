#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shared/ipc/shared_words.h"
#include "shared/ipc/telemetry_layout.h"

/// The command mailbox (design section 5): a segment of its own, writable by group
/// `haptic-operator`. Writers are never trusted: the daemon copies a slot once, checks every
/// field of the copy, and whatever a writer does to the rest of the segment is at worst counted.
///
/// A slot's life: free -> claimed (by compare-and-swap, one writer) -> posted (release) ->
/// answered (by the daemon) -> free (by the writer). Slots of writers that died are taken back by
/// the daemon.
namespace haptic {

enum class CommandKind : std::uint32_t {
  kEngage = 1,   ///< idle -> engaged, the force ramps in
  kRelease = 2,  ///< engaged -> idle
  kStop = 3,     ///< any state -> fault (operator_stop); from engaged through stopping, at once
                 ///< when given twice
  kReset = 4,    ///< fault -> idle (through homing where the device needs it), world at rest
  kSet = 5,      ///< change one parameter
  kLoad = 6,     ///< go on with another scene; answered once it runs or is refused
  kHome = 7,     ///< homing: the device stands in its reference pose
};

enum class CommandAnswer : std::uint32_t {
  kPending = 0,
  kApplied = 1,
  kWrongState = 2,    ///< refused: not in this state
  kUnknownKey = 3,    ///< refused: no such parameter
  kOutOfRange = 4,    ///< refused: value outside the parameter's range or not finite
  kOutOfReach = 5,    ///< refused: the hand is outside the workspace or too fast to engage
  kMalformed = 6,     ///< refused: a field of the command is impossible
  kShuttingDown = 7,  ///< refused: the daemon is leaving
  kSceneRefused =
      8,  ///< refused: the scene does not hold, or not for this daemon; the text says why
  kSceneFailed = 9,  ///< the scene could not be made ready; the text says why
  kBusy = 10,        ///< refused: another scene is on its way
  kNotEnabled = 11,  ///< refused: the enabling device is not held
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
      return "the scene does not hold";
    case CommandAnswer::kSceneFailed:
      return "the scene could not be made ready";
    case CommandAnswer::kBusy:
      return "another scene is being loaded";
    case CommandAnswer::kNotEnabled:
      return "the enabling device is not held";
  }
  return "unknown answer";
}

/// What a writer asks.
struct Command {
  static constexpr std::size_t kKeyLength = 64;
  static constexpr std::size_t kPathLength = 448;
  CommandKind kind;
  std::uint32_t reserved;       ///< 0
  double value;                 ///< of kSet, else 0
  char key[kKeyLength];         ///< of kSet: zero-terminated, zero-padded; else all zero
  char path[kPathLength] = {};  ///< of kLoad: absolute, as `key`; the daemon's rights open it
};

/// What the daemon says, valid once the slot is answered.
struct CommandReply {
  static constexpr std::size_t kTextLength = 256;
  CommandAnswer answer;
  ServoState state;  ///< after the command
  FaultKind fault;
  std::uint32_t reserved;
  double minimum, maximum;      ///< range of the parameter where answer is kOutOfRange
  char text[kTextLength] = {};  ///< one line, zero-terminated; empty where the answer says it all
};

enum class SlotPhase : std::uint64_t { kFree = 0, kClaimed = 1, kPosted = 2, kAnswered = 3 };

/// Phase and owner in one word, so that a claim names its owner in the same instant; 0 = free.
constexpr std::uint64_t slot_word(SlotPhase phase, std::uint64_t owner_pid) {
  return owner_pid << 8 | static_cast<std::uint64_t>(phase);
}
constexpr SlotPhase slot_phase(std::uint64_t word) {
  return static_cast<SlotPhase>(word & 0xff);
}
constexpr std::uint64_t slot_owner(std::uint64_t word) {
  return word >> 8;
}

struct CommandSlot {
  std::uint64_t word;      ///< slot_word
  std::uint64_t sequence;  ///< of the command; the reply repeats it
  std::uint64_t checksum;  ///< command_checksum(sequence, command)
  Command command;
  std::uint64_t reply_sequence;
  CommandReply reply;
};

struct MailboxHeader {
  static constexpr std::uint64_t kMagic = 0x31584F424D544148;  // "HATMBOX1"
  static constexpr std::uint32_t kVersion = 2;
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t slot_count;
  std::uint64_t layout_hash;
  std::uint64_t instance;       ///< of the daemon it belongs to (PulseRecord)
  std::uint64_t next_sequence;  ///< fetch_add by writers
};

inline constexpr std::size_t kMailboxSlots = 16;

struct Mailbox {
  MailboxHeader header;
  std::array<CommandSlot, kMailboxSlots> slots;
};

static_assert(SharedPlain<Command> && SharedPlain<CommandReply> && SharedPlain<CommandSlot> &&
              SharedPlain<Mailbox>);

inline constexpr std::uint64_t kMailboxLayoutHash =
    hash_layout({sizeof(Mailbox), sizeof(CommandSlot), sizeof(Command), offsetof(Command, key),
                 offsetof(Command, path), offsetof(CommandReply, text), sizeof(CommandReply),
                 offsetof(CommandSlot, reply), kMailboxSlots});

/// FNV-1a over the sequence and the command: a torn or random slot does not pass.
std::uint64_t command_checksum(std::uint64_t sequence, const Command& command);

/// Whether every field is possible: kind known, reserved zero, value finite, key terminated,
/// printable and present exactly for kSet, path absolute, without control characters and present
/// exactly for kLoad.
bool is_well_formed(const Command& command);

}  // namespace haptic
