// The command mailbox under a writer who writes what they like: polling ends, what it returns is
// well formed, and what was answered is not served again.
//
// Input: [flags][bytes over the whole mailbox]
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "shared/ipc/command_server.h"
#include "tests/fuzz/fuzz_target.h"

namespace haptic {
namespace {

enum Flag : std::uint8_t { kKeepChecksums = 1, kKeepPhases = 2, kKeepHeader = 4 };

void overwrite(Mailbox& mailbox, std::uint8_t flags, const std::uint8_t* data, std::size_t size) {
  const MailboxHeader header = mailbox.header;
  std::memset(static_cast<void*>(&mailbox), 0, sizeof mailbox);
  std::memcpy(static_cast<void*>(&mailbox), data, std::min(size, sizeof mailbox));
  if (!(flags & kKeepHeader)) mailbox.header = header;
  for (CommandSlot& slot : mailbox.slots) {
    // This process as the owner: one that lives, so that the slot is not simply taken back.
    if (!(flags & kKeepPhases)) {
      slot.word = slot_word(slot_phase(slot.word), static_cast<std::uint64_t>(getpid()));
    }
    if (!(flags & kKeepChecksums)) slot.checksum = command_checksum(slot.sequence, slot.command);
  }
}

void check(const Command& command) {
  demand(is_well_formed(command), "a request is well formed");
  demand(std::isfinite(command.value), "a value is finite");
  demand(std::memchr(command.key, 0, sizeof command.key) != nullptr, "a key ends");
  demand((command.kind == CommandKind::kSet) == (command.key[0] != 0), "a key belongs to set");
  demand(std::memchr(command.path, 0, sizeof command.path) != nullptr, "a path ends");
  demand((command.kind == CommandKind::kLoad) == (command.path[0] == '/'),
         "a path belongs to load");
}

}  // namespace
}  // namespace haptic

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  if (size < 1) return 0;
  static CommandServer server("fuzz-" + std::to_string(getpid()), 42);
  overwrite(server.mailbox(), data[0], data + 1, size - 1);
  std::size_t served = 0;
  while (const auto request = server.poll()) {
    check(request->command);
    demand(request->slot < kMailboxSlots, "a slot has a number");
    server.answer(*request,
                  {CommandAnswer::kApplied, ServoState::kIdle, FaultKind::kNone, 0, 0, 0});
    demand(++served <= kMailboxSlots, "every slot is served once");
  }
  demand(server.mailbox().header.magic == MailboxHeader::kMagic, "the header is restored");
  return 0;
}
