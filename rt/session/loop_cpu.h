#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/ipc/shared_memory.h"

namespace haptic {

/// CPUs for a loop if none was named, best first: the isolated ones from the last on; without
/// those the allowed ones from the last on, or none if there is only one, which the loop shares
/// with everything else.
std::vector<int> choices_for_loop(const std::set<int>& isolated, const std::set<int>& allowed);
/// The same for this machine and process.
std::vector<int> choices_for_loop();

/// The CPU of a daemon's loop, claimed in this user's run folder for the life of the object. Two
/// loops under SCHED_FIFO on one CPU wait for each other, and one that takes longer than its
/// period makes the other miss its slots.
class LoopCpu {
 public:
  /// Claims the first of `choices` that no other daemon of this user has claimed; if each is
  /// claimed, takes the first without a claim. @param choices  none, or -1: the loop is not pinned
  explicit LoopCpu(const std::vector<int>& choices);

  int number() const { return number_; }  ///< -1: not pinned
  /// One line: the process whose loop has this CPU too, or why it cannot be claimed. Empty if it is
  /// this daemon's alone.
  const std::string& warning() const { return warning_; }

 private:
  int number_;
  std::string warning_;
  std::optional<InstanceLock> claim_;
};

}  // namespace haptic
