#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "shared/ipc/guard_pulse.h"

namespace haptic {

/// State of the guard as seen by the daemon's supervisor: whether it is alive, beats, guards the
/// same device that the daemon drives, and has proved that it would reach its outputs.
class GuardWatch {
 public:
  enum class Verdict : std::uint8_t {
    kNone,         ///< there is no guard
    kOtherDevice,  ///< there is a guard for another device
    kSilent,       ///< it does not beat, or does not watch this process
    kUnreachable,  ///< it would not reach the outputs, as it says itself
    kGuarded,
  };

  /// @param device    device_identity() of the daemon's
  /// @param patience  longest pause between two beats
  GuardWatch(std::string daemon_name, std::uint64_t device, std::chrono::nanoseconds patience);

  /// Checks once, with a few system calls at most. @param now of a steady clock
  Verdict look(std::chrono::nanoseconds now);
  Verdict verdict() const { return verdict_; }
  /// Why there is no guard, or its proof that it reaches the outputs; one line.
  std::string words() const;
  /// Of the guard; 0 where there is none.
  std::int64_t pid() const { return pulse_ ? pulse_->guard_pid() : 0; }

 private:
  Verdict judge(std::chrono::nanoseconds now);

  std::string daemon_name_;
  std::uint64_t device_;
  std::chrono::nanoseconds patience_;
  std::optional<GuardPulseReader> pulse_;
  std::uint64_t beats_ = 0;
  std::chrono::nanoseconds silence_{0};
  std::chrono::nanoseconds looked_at_{0};
  std::chrono::nanoseconds search_at_{0};
  Verdict verdict_ = Verdict::kNone;
};

}  // namespace haptic
