#pragma once

#include <cstdint>
#include <optional>

#include "shared/memory/file_descriptor.h"

namespace haptic {

/// Asks the kernel what the process at the other end of a TCP connection has not read yet, which no
/// acknowledgement shows: the kernel acknowledges for a process that hangs. Source: sock_diag(7).
class UnreadBytes {
 public:
  UnreadBytes();

  /// Of what was sent on `socket`, a connected TCP socket. A system call or two, never waits.
  /// @returns nothing if the other end is on another machine or the kernel does not tell
  std::optional<std::uint32_t> of_peer(int socket) const;

 private:
  FileDescriptor kernel_;  // negative: the kernel has no sock_diag
};

}  // namespace haptic
