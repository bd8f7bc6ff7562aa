#pragma once

#include <string>

#include "shared/ipc/command_mailbox.h"
#include "shared/ipc/shared_memory.h"

namespace haptic {

/// An operator's side of the mailbox.
class CommandClient {
 public:
  /// @throws OperationError if no daemon of that name runs or the mailbox may not be written,
  ///         InputError if it is foreign or of another layout
  explicit CommandClient(const std::string& daemon_name);

  /// Posts one command and waits for its answer.
  /// @param key parameter of kSet, else empty @throws InputError if the key does not fit its field
  /// @throws OperationError if the daemon dies or does not answer within `timeout_ms`
  CommandReply send(CommandKind kind, const std::string& key = {}, double value = 0.0,
                    int timeout_ms = 2000);
  /// Asks for another scene and waits until it runs or is refused.
  /// @param path absolute, as the daemon sees it @throws InputError if it does not fit its field
  CommandReply load(const std::string& path, int timeout_ms);

 private:
  CommandReply post(const Command& command, int timeout_ms);
  CommandSlot& claim();

  std::string daemon_name_;
  SharedSegment segment_;
};

}  // namespace haptic
