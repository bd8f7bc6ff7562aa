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
  /// What its first thread does. The descriptor tells of an end only once the kernel has taken all
  /// the memory back, which takes tens of milliseconds on a slow machine; this knows before.
  enum class Doing : std::uint8_t { kRuns, kStopped, kEnds };
  Doing doing() const;
  /// Whether we may signal it (same user, or CAP_KILL).
  bool may_kill() const;
  /// SIGKILL; also ends a stopped process.
  void kill() const;

 private:
  pid_t pid_;
  int descriptor_;
  int stat_;  // /proc/PID/stat, of that process alone however often the number is used again
};

}  // namespace haptic
