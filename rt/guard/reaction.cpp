#include "rt/guard/reaction.h"

#include <ctime>

#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr std::int64_t kBetweenAttempts_ns = 200'000;

}  // namespace

Reaction react(const WatchedProcess& daemon, SafeOutputs& outputs, std::int64_t give_up_ns) {
  const std::int64_t begin = monotonic_ns();
  const auto since = [begin] { return monotonic_ns() - begin; };
  Reaction reaction;
  daemon.kill();
  for (;;) {
    // Queried before the attempt: only an attempt after the daemon's end is final.
    reaction.ended = daemon.ended();
    if (reaction.ended && reaction.ended_ns < 0) reaction.ended_ns = since();
    ++reaction.attempts;
    reaction.safe = outputs.make_safe();
    if (reaction.safe && reaction.safe_ns < 0) reaction.safe_ns = since();
    if ((reaction.safe && reaction.ended) || since() > give_up_ns) break;
    if (!reaction.ended) {
      daemon.ended(kBetweenAttempts_ns);
    } else {
      const timespec pause{0, kBetweenAttempts_ns};
      nanosleep(&pause, nullptr);
    }
  }
  outputs.release();
  return reaction;
}

}  // namespace haptic
