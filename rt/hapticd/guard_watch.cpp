#include "rt/hapticd/guard_watch.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::chrono::milliseconds kSearch{20};  // between two searches for a guard
// Longest part of the time between two checks that counts as silence. If the observer itself was
// paused, for example with the whole machine, the guard is not to blame.
constexpr std::chrono::milliseconds kOwnPause{10};

}  // namespace

GuardWatch::GuardWatch(std::string daemon_name, std::uint64_t device,
                       std::chrono::nanoseconds patience)
    : daemon_name_(std::move(daemon_name)), device_(device), patience_(patience) {}

GuardWatch::Verdict GuardWatch::look(std::chrono::nanoseconds now) {
  verdict_ = judge(now);
  return verdict_;
}

GuardWatch::Verdict GuardWatch::judge(std::chrono::nanoseconds now) {
  // A guard that exited has released its lock; another one may have replaced it.
  if (pulse_ && !pulse_->alive()) pulse_.reset();
  if (!pulse_) {
    if (now < search_at_) return Verdict::kNone;
    search_at_ = now + kSearch;
    try {
      if (!GuardPulseReader::is_there(daemon_name_)) return Verdict::kNone;
      pulse_.emplace(daemon_name_);
    } catch (const std::exception&) {  // none yet, or one of another build: treated as none
      return Verdict::kNone;
    }
    if (!pulse_->alive()) {
      pulse_.reset();
      return Verdict::kNone;
    }
    beats_ = pulse_->beats();
    silence_ = patience_ + kOwnPause;  // a guard without any beat so far may be stopped
  } else {
    silence_ += std::min<std::chrono::nanoseconds>(now - looked_at_, kOwnPause);
  }
  looked_at_ = now;
  const std::uint64_t beats = pulse_->beats();
  if (beats != beats_) {
    beats_ = beats;
    silence_ = silence_.zero();
  }
  if (pulse_->device() != device_) return Verdict::kOtherDevice;
  // A guard that does not watch this process cannot make its outputs safe.
  if (pulse_->watches_pid() != getpid()) return Verdict::kSilent;
  // Before the silence: a proof that fails may take longer than the patience.
  if (!pulse_->reaches()) return Verdict::kUnreachable;
  return silence_ <= patience_ ? Verdict::kGuarded : Verdict::kSilent;
}

std::string GuardWatch::words() const {
  switch (verdict_) {
    case Verdict::kNone:
      return "no hapticd-guard runs for this daemon";
    case Verdict::kOtherDevice:
      return "its guard uses another device or another manifest";
    case Verdict::kSilent:
      return "its guard sends no heartbeat for this daemon";
    case Verdict::kUnreachable:
      return "its guard cannot reach the outputs: " + pulse_->proof();
    case Verdict::kGuarded:
      return pulse_->proof();
  }
  return {};
}

}  // namespace haptic
