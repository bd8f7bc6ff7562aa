#include "rt/guard/guard_loop.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "rt/guard/heartbeat.h"
#include "rt/guard/reaction.h"
#include "shared/error.h"
#include "shared/ipc/shared_memory.h"
#include "shared/journal/message.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr std::int64_t kPoll_ns = 1'000'000;     // a millisecond of the 20 is spent waiting
constexpr std::int64_t kSearch_ns = 20'000'000;  // while there is no daemon
constexpr std::int64_t kProof_ns = 250'000'000;  // between two proofs of reach
constexpr std::int64_t kFailedProof_ns = 1'000'000'000;
constexpr std::int64_t kNotice_ns = 1'000'000'000;  // a controlled stop takes half of it at most
constexpr int kObstacle = 50;  // failed searches in a row until the reason is reported: 1 s

double milliseconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}

}  // namespace

GuardLoop::GuardLoop(std::string name, const GuardSettings& settings, SafeOutputs& outputs,
                     GuardPulseWriter& own, GuardSignals& signals)
    : name_(std::move(name)),
      settings_(settings),
      outputs_(outputs),
      own_(own),
      signals_(signals) {}

void GuardLoop::run() {
  while (signals_.asked_to_end() == 0) {
    if (!find()) {
      wait(signals_.descriptor(), kSearch_ns);
      continue;
    }
    watch();
    own_.watch(0);
    own_.reach(false, {});
    daemon_.reset();
    pulse_.reset();
  }
}

bool GuardLoop::find() {
  try {
    auto pulse = std::make_unique<PulseReader>(name_);
    if (pulse->instance() == guarded_ || !pulse->alive()) return false;
    auto daemon = std::make_unique<WatchedProcess>(static_cast<pid_t>(pulse->daemon_pid()));
    // Still alive after the pidfd was opened, so the pidfd refers to the daemon.
    if (!pulse->alive()) return false;
    pulse_ = std::move(pulse);
    daemon_ = std::move(daemon);
    return true;
  } catch (const NoSuchSegment&) {
    obstacle_.clear();  // no daemon yet: the guard waits for one
  } catch (const std::exception& error) {
    // A daemon that is just starting is soon ready. A segment of another build, or one that may
    // not be opened or locked, would leave a daemon unguarded: reported once.
    const std::string reason = error.what();
    obstacle_for_ = reason == obstacle_ ? obstacle_for_ + 1 : 0;
    obstacle_ = reason;
    if (obstacle_for_ == kObstacle) message::say(Priority::kWarning, "{}", reason);
  }
  return false;
}

// Without it the daemon, which reads the pulse by its name, is unguarded.
void GuardLoop::keep_pulse() {
  try {
    if (!own_.keep()) return;
    message::say(Priority::kWarning, "the guard's pulse was removed or changed; it was made again");
  } catch (const std::exception& error) {
    told_no_pulse_.say(Priority::kError, "{}", error.what());
    return;
  }
  own_.watch(daemon_->pid());
  reach_ = {};
}

// Reported when it changes. A proof that fails may take long, so it is not repeated as often.
void GuardLoop::prove_reach() {
  if (gave_notice_) return;
  keep_pulse();
  OutputReach now = outputs_.reach(daemon_->pid());
  prove_at_ns_ = monotonic_ns() + (now.proven ? kProof_ns : kFailedProof_ns);
  if (now.proven == reach_.proven && now.words == reach_.words) return;
  if (now.proven != reach_.proven || !now.proven) {
    message::say(now.proven ? Priority::kInfo : Priority::kWarning, "{} the outputs: {}",
                 now.proven ? "reaches" : "CANNOT REACH", now.words);
  }
  own_.reach(now.proven, now.words);
  reach_ = std::move(now);
}

// Without a force nothing is lost. With one, the daemon must bring it to zero first.
bool GuardLoop::may_end() {
  const int signal = signals_.asked_to_end();
  if (signal == 0) return false;
  const std::int64_t now = monotonic_ns();
  const bool drives = pulse_->drives();
  if (asked_at_ns_ == 0) {
    if (!drives) return true;
    asked_at_ns_ = now;
    message::say(Priority::kWarning, "SIG{}: ends when process {} drives nothing",
                 sigabbrev_np(signal), daemon_->pid());
  }
  if (now - asked_at_ns_ < kNotice_ns) return false;
  if (!gave_notice_) own_.watch(0);
  gave_notice_ = true;
  return !drives;
}

void GuardLoop::watch() {
  guarded_ = pulse_->instance();
  message::say(Priority::kWarning, "watches process {}", daemon_->pid());
  if (!daemon_->may_kill()) {
    message::say(Priority::kWarning,
                 "no permission to end process {}: run as the daemon's user; a hang would be "
                 "detected and the outputs overwritten, but the daemon could write again",
                 daemon_->pid());
  }
  reach_ = {};
  prove_reach();
  own_.watch(daemon_->pid());
  const double period_s = 1.0 / pulse_->rate_hz();
  Heartbeat heartbeat(std::llround(std::max(settings_.patience_s, 4.0 * period_s) * 1e9));
  const std::int64_t doubt_ns =
      std::max<std::int64_t>(std::llround(2.0 * period_s * 1e9), 2 * kPoll_ns);
  bool hangs = false;
  while (!hangs && !daemon_->ended()) {
    wait(daemon_->descriptor(), kPoll_ns);
    if (may_end()) return;
    // After the loop's last output, which is zero, there is no cycle left to miss.
    if (pulse_->released()) continue;
    if (monotonic_ns() >= prove_at_ns_) prove_reach();
    const std::int64_t now = monotonic_ns();
    hangs = !heartbeat.hear(pulse_->beats(), now);
    // No cycle for too long. If the process is stopped or dying, react without waiting for the
    // patience to pass. Not queried in every turn, because the kernel references the process's
    // memory for the answer.
    if (heartbeat.still_ns(now) <= doubt_ns) continue;
    const WatchedProcess::Doing doing = daemon_->doing();
    if (doing == WatchedProcess::Doing::kEnds) break;
    hangs = hangs || doing == WatchedProcess::Doing::kStopped;
  }
  const std::int64_t still_ns = heartbeat.still_ns(monotonic_ns());
  const bool orderly = !hangs && pulse_->closed() && pulse_->released();
  const Reaction reaction = react(*daemon_, outputs_, std::llround(settings_.give_up_s * 1e9));

  const std::string cause =
      hangs ? fmt::format("made no cycle for {:.1f} ms and was killed", milliseconds(still_ns))
            : (orderly ? "exited normally" : "died");
  std::string effect = "THE OUTPUTS MAY NOT BE SAFE";
  if (reaction.safe) {
    effect = fmt::format("outputs safe {:.1f} ms later", milliseconds(reaction.safe_ns));
  } else if (orderly) {
    effect = "its last output was zero, which the guard could not confirm";
  }
  message::say(Priority::kWarning, "process {} {}; {}: {}", daemon_->pid(), cause, effect,
               outputs_.describe());
  if (!reaction.ended) {
    message::say(Priority::kWarning, "process {} does not end after SIGKILL", daemon_->pid());
  }
}

// Sleeps until a signal comes, `descriptor` is readable or the time is over.
void GuardLoop::wait(int descriptor, std::int64_t ns) {
  own_.beat();
  pollfd sources[] = {{signals_.descriptor(), POLLIN, 0}, {descriptor, POLLIN, 0}};
  const timespec timeout{0, static_cast<long>(ns)};
  ppoll(sources, 2, &timeout, nullptr);
}

}  // namespace haptic
