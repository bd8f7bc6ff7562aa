#include "rt/guard/guard_loop.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
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
constexpr int kObstacle = 50;  // failed searches in a row until the reason is reported: 1 s

double milliseconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}

}  // namespace

GuardLoop::GuardLoop(std::string name, const GuardSettings& settings, SafeOutputs& outputs,
                     GuardPulseWriter& own, int stop)
    : name_(std::move(name)), settings_(settings), outputs_(outputs), own_(own), stop_(stop) {}

void GuardLoop::run() {
  for (;;) {
    while (!find()) {
      if (wait(-1, kSearch_ns)) return;
    }
    const bool told_to_stop = watch();
    own_.watch(0);
    if (told_to_stop) return;
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

bool GuardLoop::watch() {
  guarded_ = pulse_->instance();
  message::say(Priority::kWarning, "watches process {}", daemon_->pid());
  if (!daemon_->may_kill()) {
    message::say(Priority::kWarning,
                 "no permission to end process {}: run as the daemon's user; a hang would be "
                 "detected and the outputs overwritten, but the daemon could write again",
                 daemon_->pid());
  }
  outputs_.prepare();
  // Only now: prepare() may be slow, and from here on every turn beats.
  own_.watch(daemon_->pid());
  const double period_s = 1.0 / pulse_->rate_hz();
  Heartbeat heartbeat(std::llround(std::max(settings_.patience_s, 4.0 * period_s) * 1e9));
  const std::int64_t doubt_ns =
      std::max<std::int64_t>(std::llround(2.0 * period_s * 1e9), 2 * kPoll_ns);
  bool hangs = false;
  while (!hangs && !daemon_->ended()) {
    if (wait(daemon_->descriptor(), kPoll_ns)) return true;
    // After the loop's last output, which is zero, there is no cycle left to miss.
    if (pulse_->released()) continue;
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
  const bool orderly = !hangs && pulse_->closed();
  const Reaction reaction = react(*daemon_, outputs_, std::llround(settings_.give_up_s * 1e9));

  const std::string cause =
      hangs ? fmt::format("made no cycle for {:.1f} ms and was killed", milliseconds(still_ns))
            : (orderly ? "exited normally" : "died");
  const std::string effect =
      reaction.safe ? fmt::format("outputs safe {:.1f} ms later", milliseconds(reaction.safe_ns))
                    : "THE OUTPUTS ARE NOT SAFE";
  message::say(Priority::kWarning, "process {} {}; {} ({})", daemon_->pid(), cause, effect,
               outputs_.describe());
  if (!reaction.ended) {
    message::say(Priority::kWarning, "process {} does not end after SIGKILL", daemon_->pid());
  }
  return false;
}

// Sleeps until `descriptor` (or nothing, -1) is readable or the time is over. @returns whether a
// stop is requested
bool GuardLoop::wait(int descriptor, std::int64_t ns) {
  own_.beat();
  pollfd sources[] = {{stop_, POLLIN, 0}, {descriptor, POLLIN, 0}};
  const timespec timeout{0, static_cast<long>(ns)};
  ppoll(sources, 2, &timeout, nullptr);
  return (sources[0].revents & POLLIN) != 0;
}

}  // namespace haptic
