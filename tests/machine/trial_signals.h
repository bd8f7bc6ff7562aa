#pragma once

#include <span>
#include <string>

namespace haptic::machine {

/// What a signal does to a daemon that drives and has no terminal, and to its guard; the table of
/// docs/real-time.md, "Signals".
struct TrialSignal {
  int number;
  bool ends_daemon;
  bool asks_guard_to_end;
};

/// Every signal that a program can catch.
std::span<const TrialSignal> trial_signals();

/// "SIGTERM", "SIGRTMIN+3".
std::string signal_name(int number);

}  // namespace haptic::machine
