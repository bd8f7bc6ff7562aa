#include "shared/ipc/command_mailbox.h"

#include <cmath>
#include <cstring>

namespace haptic {

std::uint64_t command_checksum(std::uint64_t sequence, const Command& command) {
  unsigned char bytes[8 + sizeof(Command)];
  std::memcpy(bytes, &sequence, 8);
  std::memcpy(bytes + 8, &command, sizeof(Command));
  std::uint64_t h = 0xcbf29ce484222325;
  for (const unsigned char byte : bytes) h = (h ^ byte) * 0x100000001b3;
  return h;
}

bool is_well_formed(const Command& command) {
  const auto kind = static_cast<std::uint32_t>(command.kind);
  if (kind < 1 || kind > 5 || command.reserved != 0 || !std::isfinite(command.value)) return false;
  std::size_t length = 0;
  while (length < Command::kKeyLength && command.key[length] > ' ' && command.key[length] <= '~') {
    ++length;
  }
  if (length == Command::kKeyLength) return false;
  for (std::size_t i = length; i < Command::kKeyLength; ++i) {
    if (command.key[i] != '\0') return false;
  }
  if (command.kind == CommandKind::kSet) return length > 0;
  return length == 0 && command.value == 0.0;
}

}  // namespace haptic
