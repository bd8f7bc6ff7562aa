#include "shared/ipc/command_client.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "shared/error.h"

namespace haptic {
namespace {

SharedSegment open_mailbox(const std::string& daemon_name) {
  const std::string name = segment_name(daemon_name, "commands");
  SharedSegment segment = [&] {
    try {
      return SharedSegment::open(name, SharedSegment::Access::kReadWrite);
    } catch (const OperationError& error) {
      throw OperationError("no command can reach a hapticd under the name \"" + daemon_name +
                           "\" (" + error.what() + ")");
    }
  }();
  if (!segment.creator_lives()) {
    throw OperationError("no hapticd runs under the name \"" + daemon_name +
                         "\" (its mailbox was left by one that died)");
  }
  const auto* header = reinterpret_cast<const MailboxHeader*>(segment.data());
  if (segment.size() < sizeof(Mailbox) ||
      load_word(header->magic, std::memory_order_acquire) != MailboxHeader::kMagic ||
      header->version != MailboxHeader::kVersion || header->layout_hash != kMailboxLayoutHash) {
    throw InputError("shared memory " + name, "", "found a foreign or differently built mailbox",
                     "hapticd and haptic of one build");
  }
  return segment;
}

using SteadyClock = std::chrono::steady_clock;

}  // namespace

CommandClient::CommandClient(const std::string& daemon_name)
    : daemon_name_(daemon_name), segment_(open_mailbox(daemon_name)) {}

CommandSlot& CommandClient::claim() {
  auto* mailbox = reinterpret_cast<Mailbox*>(segment_.data());
  const std::uint64_t mine = slot_word(SlotPhase::kClaimed, static_cast<std::uint64_t>(getpid()));
  const auto give_up = SteadyClock::now() + std::chrono::seconds(2);
  while (true) {
    for (CommandSlot& slot : mailbox->slots) {
      std::uint64_t free = 0;
      if (std::atomic_ref(slot.word).compare_exchange_strong(free, mine)) return slot;
    }
    if (SteadyClock::now() > give_up) {
      throw OperationError("the mailbox of hapticd \"" + daemon_name_ + "\" stays full");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

CommandReply CommandClient::send(CommandKind kind, const std::string& key, double value,
                                 int timeout_ms) {
  Command command{};
  command.kind = kind;
  command.value = value;
  if (key.size() >= Command::kKeyLength) {
    throw InputError("set", "", "found a key of " + std::to_string(key.size()) + " characters",
                     "at most " + std::to_string(Command::kKeyLength - 1));
  }
  std::memcpy(command.key, key.data(), key.size());
  if (!is_well_formed(command)) {
    throw InputError("set", key, "found an impossible key or value",
                     "a printable key and a finite number");
  }
  return post(command, timeout_ms);
}

CommandReply CommandClient::load(const std::string& path, int timeout_ms) {
  Command command{};
  command.kind = CommandKind::kLoad;
  if (path.size() >= Command::kPathLength) {
    throw InputError("load", "", "found a path of " + std::to_string(path.size()) + " characters",
                     "at most " + std::to_string(Command::kPathLength - 1));
  }
  std::memcpy(command.path, path.data(), path.size());
  if (!is_well_formed(command)) {
    throw InputError("load", "", "found an impossible path",
                     "an absolute one without control characters");
  }
  return post(command, timeout_ms);
}

CommandReply CommandClient::post(const Command& command, int timeout_ms) {
  auto* mailbox = reinterpret_cast<Mailbox*>(segment_.data());
  CommandSlot& slot = claim();
  std::atomic_ref word(slot.word);
  const auto pid = static_cast<std::uint64_t>(getpid());
  const std::uint64_t sequence =
      std::atomic_ref(mailbox->header.next_sequence).fetch_add(1, std::memory_order_relaxed);
  store_word(slot.sequence, sequence);
  store_word(slot.checksum, command_checksum(sequence, command));
  store_words(&slot.command, &command, sizeof(command));
  const std::uint64_t posted = slot_word(SlotPhase::kPosted, pid);
  word.store(posted, std::memory_order_release);

  const auto give_up = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    const std::uint64_t seen = word.load(std::memory_order_acquire);
    if (seen == slot_word(SlotPhase::kAnswered, pid)) break;
    if (seen != posted) {
      throw OperationError("the command was discarded by hapticd or overwritten by another writer");
    }
    const bool late = SteadyClock::now() > give_up;
    if (late || !segment_.creator_lives()) {
      std::uint64_t expected = posted;
      if (word.compare_exchange_strong(expected, 0)) {
        throw OperationError(late ? "hapticd \"" + daemon_name_ + "\" did not answer in time"
                                  : "hapticd \"" + daemon_name_ + "\" died");
      }
      continue;  // answered in this very instant
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  CommandReply reply;
  load_words(&reply, &slot.reply, sizeof(reply));
  reply.text[CommandReply::kTextLength - 1] = '\0';
  const bool ours = load_word(slot.reply_sequence) == sequence;
  word.store(0, std::memory_order_release);
  if (!ours) throw OperationError("the answer in the mailbox belongs to another command");
  return reply;
}

}  // namespace haptic
