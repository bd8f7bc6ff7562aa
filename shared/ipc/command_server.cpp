#include "shared/ipc/command_server.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace haptic {
namespace {

bool process_is_gone(std::uint64_t pid) {
  if (pid == 0 || pid > 0x7fffffff) return true;
  return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

}  // namespace

CommandServer::CommandServer(const std::string& daemon_name, std::uint64_t instance)
    : segment_(SharedSegment::create(segment_name(daemon_name, "commands"), sizeof(Mailbox),
                                     "haptic-operator", SharedSegment::Access::kReadWrite)),
      mailbox_(reinterpret_cast<Mailbox*>(segment_.data())),
      instance_(instance) {
  mailbox_->header.next_sequence = 1;
  write_header();
}

void CommandServer::write_header() {
  MailboxHeader& header = mailbox_->header;
  header.version = MailboxHeader::kVersion;
  header.slot_count = kMailboxSlots;
  header.layout_hash = kMailboxLayoutHash;
  header.instance = instance_;
  store_word(header.magic, MailboxHeader::kMagic, std::memory_order_release);
}

CommandServer::~CommandServer() {
  segment_.unlink();
}

// A writer may truncate what it may write (the pages would be gone and the next access a SIGBUS),
// and may overwrite the header that the next client checks.
void CommandServer::restore() {
  struct stat status {};
  bool damaged = false;
  if (fstat(segment_.descriptor(), &status) == 0 &&
      status.st_size < static_cast<off_t>(sizeof(Mailbox))) {
    damaged = ftruncate(segment_.descriptor(), sizeof(Mailbox)) == 0;
  }
  const MailboxHeader& header = mailbox_->header;
  damaged = damaged || load_word(header.magic) != MailboxHeader::kMagic ||
            load_word(header.layout_hash) != kMailboxLayoutHash ||
            load_word(header.instance) != instance_;
  if (!damaged) return;
  ++garbage_;
  write_header();
}

std::optional<CommandServer::Request> CommandServer::poll() {
  restore();
  for (std::size_t visited = 0; visited < kMailboxSlots; ++visited) {
    const std::size_t index = turn_;
    turn_ = (turn_ + 1) % kMailboxSlots;
    CommandSlot& slot = mailbox_->slots[index];
    std::atomic_ref word(slot.word);
    std::uint64_t seen = word.load(std::memory_order_acquire);
    if (slot_phase(seen) != SlotPhase::kPosted) held_[index].reset();
    if (seen == 0) continue;
    // Every release below is a compare-and-swap: a writer that moved on meanwhile keeps its slot.
    switch (slot_phase(seen)) {
      case SlotPhase::kClaimed:
      case SlotPhase::kAnswered:
        if (process_is_gone(slot_owner(seen))) word.compare_exchange_strong(seen, 0);
        break;
      case SlotPhase::kPosted: {
        CommandSlot copy;
        load_words(&copy, &slot, sizeof(copy));
        if (copy.checksum != command_checksum(copy.sequence, copy.command)) {
          ++garbage_;
          word.compare_exchange_strong(seen, 0);
          break;
        }
        if (held_[index] == copy.sequence) break;
        held_[index].reset();
        Request request{index, copy.sequence, copy.command};
        if (is_well_formed(copy.command)) return request;
        ++garbage_;
        answer(request,
               {CommandAnswer::kMalformed, ServoState::kStarting, FaultKind::kNone, 0, 0, 0});
        break;
      }
      default:
        ++garbage_;
        word.compare_exchange_strong(seen, 0);
    }
  }
  return std::nullopt;
}

void CommandServer::answer(const Request& request, const CommandReply& reply) {
  CommandSlot& slot = mailbox_->slots[request.slot];
  if (held_[request.slot] == request.sequence) held_[request.slot].reset();
  std::atomic_ref word(slot.word);
  std::uint64_t seen = word.load(std::memory_order_acquire);
  // Withdrawn, or the slot is another writer's by now: the reply must not land there.
  if (slot_phase(seen) != SlotPhase::kPosted || load_word(slot.sequence) != request.sequence)
    return;
  store_words(&slot.reply, &reply, sizeof(reply));
  store_word(slot.reply_sequence, request.sequence);
  word.compare_exchange_strong(seen, slot_word(SlotPhase::kAnswered, slot_owner(seen)),
                               std::memory_order_release);
}

}  // namespace haptic
