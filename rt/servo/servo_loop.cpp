#include "rt/servo/servo_loop.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

namespace haptic {

ServoLoop::ServoLoop(HapticCycle& cycle, Clock& clock, double rate_hz, PulseWriter* pulse)
    : cycle_(cycle),
      clock_(clock),
      pulse_(pulse),
      period_ns_(std::llround(1e9 / rate_hz)),
      cycles_between_counts_(static_cast<std::uint64_t>(std::ceil(rate_hz / 8.0))) {}

void ServoLoop::run(std::uint64_t cycles) {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  minor_faults_ = static_cast<std::uint64_t>(usage.ru_minflt);
  major_faults_ = static_cast<std::uint64_t>(usage.ru_majflt);
  involuntary_switches_ = static_cast<std::uint64_t>(usage.ru_nivcsw);

  Schedule schedule(period_ns_, clock_.now_ns() + period_ns_);
  std::uint64_t until_count = cycles_between_counts_;
  bool winding_down = false;
  while (cycles == 0 || cycle_.cycles() < cycles) {
    if (stop_.load(std::memory_order_relaxed)) {
      if (!winding_down) cycle_.wind_down();
      winding_down = true;
      // Wait until the zero output has reached the motors, or is known not to. The supervisor
      // limits the wait: it gives the loop a second to end.
      const bool carried_out = !cycle_.force_may_act() || !cycle_.reaches_motors();
      if (!cycle_.drives() && carried_out) break;
    }
    clock_.sleep_until(schedule.next_ns());
    const std::int64_t woke_ns = clock_.now_ns();
    watch_supervisor(woke_ns);
    cycle_.run(schedule.take(woke_ns), woke_ns);
    // Without a beat the guard takes over the device, because this process can no longer release
    // it.
    if (pulse_ != nullptr && cycle_.reaches_motors()) {
      pulse_->beat(cycle_.drives() || cycle_.force_may_act());
    }
    if (--until_count == 0) {
      until_count = cycles_between_counts_;
      count_disturbances();
    }
  }
  cycle_.zero_device();
  count_disturbances();
  // If the zero output does not reach the motors, the guard must go on watching and make them safe.
  if (pulse_ != nullptr && cycle_.reaches_motors()) pulse_->release();
  done_.store(true, std::memory_order_release);
}

// Only time in which this loop ran counts: a pause of the whole machine does not mean that the
// supervisor hangs.
void ServoLoop::watch_supervisor(std::int64_t now_ns) HAPTIC_REALTIME {
  const std::uint64_t beats = supervisor_beats_.load(std::memory_order_relaxed);
  const std::int64_t passed = std::min(now_ns - watched_ns_, 2 * period_ns_);
  watched_ns_ = now_ns;
  if (beats != supervisor_heard_) {
    supervisor_heard_ = beats;
    supervisor_silent_ns_ = 0;
    return;
  }
  if (beats == 0) return;  // it has not begun yet
  supervisor_silent_ns_ += passed;
  if (supervisor_silent_ns_ > kSupervisorPatience_ns) cycle_.report(FaultKind::kSupervisorLost);
}

// One system call of well below a microsecond, eight times a second, between cycles.
void ServoLoop::count_disturbances() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  Counters& counters = cycle_.sink().statistics().counters;
  store_word(counters.page_faults_minor,
             static_cast<std::uint64_t>(usage.ru_minflt) - minor_faults_);
  store_word(counters.page_faults_major,
             static_cast<std::uint64_t>(usage.ru_majflt) - major_faults_);
  store_word(counters.involuntary_switches,
             static_cast<std::uint64_t>(usage.ru_nivcsw) - involuntary_switches_);
}

}  // namespace haptic
