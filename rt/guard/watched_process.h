#pragma once

#include <sys/types.h>

#include <cstdint>

namespace haptic {

/// One process by a descriptor that never means another (pidfd), however often its number is used
/// again.
class WatchedProcess {
 public:
  /// @throws OperationError if there is no such process
  explicit WatchedProcess(pid_t pid);
  WatchedProcess(const WatchedProcess&) = delete;
  WatchedProcess& operator=(const WatchedProcess&) = delete;
  ~WatchedProcess();

  pid_t pid() const { return pid_; }
  int descriptor() const { return descriptor_; }  ///< readable once the process has ended
  /// Waits for its end for at most `timeout_ns`. @returns whether it has ended: all of its threads,
  /// all of its files closed
  bool ended(std::int64_t timeout_ns = 0) const;
  /// Whether we may signal it (same user, or CAP_KILL).
  bool may_kill() const;
  /// SIGKILL; also ends a stopped process.
  void kill() const;

 private:
  pid_t pid_;
  int descriptor_;
};

}  // namespace haptic
