#include "rt/servo/servo_loop.h"

#include <sys/resource.h>

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
  while (!stop_.load(std::memory_order_relaxed) && (cycles == 0 || cycle_.cycles() < cycles)) {
    clock_.sleep_until(schedule.next_ns());
    const std::int64_t woke_ns = clock_.now_ns();
    cycle_.run(schedule.take(woke_ns), woke_ns);
    if (pulse_ != nullptr) pulse_->beat();
    if (--until_count == 0) {
      until_count = cycles_between_counts_;
      count_disturbances();
    }
  }
  cycle_.let_go();
  count_disturbances();
  if (pulse_ != nullptr) pulse_->let_go();
  done_.store(true, std::memory_order_release);
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
