#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "shared/ipc/command_client.h"

namespace haptic {

/// Sends commands to a daemon from a thread of its own, so that the answers never hold up a window.
/// Only the newest is kept: what was posted before it and is not yet sent is dropped. The
/// destructor waits until the newest has been sent.
class CommandThread {
 public:
  /// Sends something, on the thread. @returns why it was refused; empty if it was applied
  using Job = std::function<std::string(CommandClient&)>;

  explicit CommandThread(std::string daemon_name);
  ~CommandThread();
  CommandThread(const CommandThread&) = delete;
  CommandThread& operator=(const CommandThread&) = delete;

  void post(Job job);
  /// What the last job returned, or why the daemon could not be asked.
  std::string message() const;

 private:
  void run();

  std::string daemon_name_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> next_;
  bool ending_ = false;
  std::string message_;
  std::thread thread_;
};

/// "pull: refused: ..." unless the command was applied.
std::string refusal_of(const std::string& command, const CommandReply& reply);

}  // namespace haptic
