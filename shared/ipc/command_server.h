#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "shared/ipc/command_mailbox.h"
#include "shared/ipc/shared_memory.h"

namespace haptic {

/// The daemon's side of the mailbox, for its supervisor thread (never the loop).
class CommandServer {
 public:
  /// @throws OperationError if shared memory cannot be had
  CommandServer(const std::string& daemon_name, std::uint64_t instance);
  CommandServer(const CommandServer&) = delete;
  CommandServer& operator=(const CommandServer&) = delete;
  ~CommandServer();

  /// A checked copy of a posted command.
  struct Request {
    std::size_t slot;
    std::uint64_t sequence;
    Command command;
  };

  /// Next posted command, slots served in turn; answer or hold it before the next poll. Slots with
  /// impossible content are freed (or, if only the command is malformed, answered so) and counted
  /// in garbage(); slots of dead writers are freed; a truncated or
  /// overwritten header is restored.
  std::optional<Request> poll();
  void answer(const Request& request, const CommandReply& reply);
  /// Answered later: poll() passes over it until then.
  void hold(const Request& request) { held_[request.slot] = request.sequence; }

  std::uint64_t garbage() const { return garbage_; }
  Mailbox& mailbox() { return *mailbox_; }  ///< for tests

 private:
  void write_header();
  void restore();

  SharedSegment segment_;
  Mailbox* mailbox_;
  std::uint64_t instance_;
  std::size_t turn_ = 0;
  std::array<std::optional<std::uint64_t>, kMailboxSlots> held_{};  // sequence
  std::uint64_t garbage_ = 0;
};

}  // namespace haptic
