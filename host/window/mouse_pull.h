#pragma once

#include <string>

#include "host/window/command_thread.h"
#include "shared/ipc/command.h"

namespace haptic {

/// Pulls one point of a daemon's body while the mouse is dragged. The destructor lets go.
class MousePull {
 public:
  explicit MousePull(std::string daemon_name) : thread_(std::move(daemon_name)) {}
  ~MousePull() { let_go(); }
  MousePull(const MousePull&) = delete;
  MousePull& operator=(const MousePull&) = delete;

  void pull(const std::string& body, const PullRequest& request);
  void let_go();
  /// Why the last command was refused; empty if it was applied.
  std::string message() const { return thread_.message(); }

 private:
  void post(const std::string& body, const PullRequest& request);

  bool pulling_ = false;
  CommandThread thread_;
};

}  // namespace haptic
