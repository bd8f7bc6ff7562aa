#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "shared/ipc/command.h"

namespace haptic {

/// Sends pulls of one point to a daemon while the mouse is dragged, from a thread of its own: the
/// answers never hold up the window. Only the newest request is kept. The destructor lets go.
class MousePull {
 public:
  explicit MousePull(std::string daemon_name);
  ~MousePull();
  MousePull(const MousePull&) = delete;
  MousePull& operator=(const MousePull&) = delete;

  void pull(const std::string& body, const PullRequest& request);
  void let_go();
  /// Why the last command was refused; empty if it was applied.
  std::string message() const;

 private:
  struct Job {
    std::string body;  ///< empty: let go
    PullRequest request{};
  };
  void run();

  std::string daemon_name_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> next_;
  bool pulling_ = false, ending_ = false;
  std::string message_;
  std::thread thread_;
};

}  // namespace haptic
