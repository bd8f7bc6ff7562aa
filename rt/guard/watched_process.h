#pragma once

#include <sys/types.h>

#include <cstdint>

namespace haptic {

/// A process identified by a pidfd, which never refers to another process even if the number is
/// reused.
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
  /// State of the process's first thread. The pidfd reports the end only when the kernel has freed
  /// all memory, which takes tens of milliseconds on a slow machine; this reports it earlier.
  enum class Doing : std::uint8_t { kRuns, kStopped, kEnds };
  Doing doing() const;
  /// Whether we may signal it (same user, or CAP_KILL).
  bool may_kill() const;
  /// SIGKILL; also ends a stopped process.
  void kill() const;

 private:
  pid_t pid_;
  int descriptor_;
  int stat_;  // /proc/PID/stat of this process only, even if the number is reused
};

}  // namespace haptic
