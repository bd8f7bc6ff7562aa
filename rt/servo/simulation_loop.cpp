#include "rt/servo/simulation_loop.h"

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "rt/servo/loop_watch.h"
#include "rt/servo/schedule.h"
#include "shared/math/flush_denormals.h"

namespace haptic {
namespace {

constexpr std::uint64_t kStepsPerCount = 64;  // a system call below a microsecond, between steps

}  // namespace

SimulationLoop::SimulationLoop(TwoRateWorld& world, Clock& clock, CycleSink& sink, double rate_hz)
    : world_(world), clock_(clock), sink_(sink), period_ns_(std::llround(1e9 / rate_hz)) {}

void SimulationLoop::run() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto switches_before = static_cast<std::uint64_t>(usage.ru_nivcsw);
  std::uint64_t steps = 0;
  Schedule schedule(period_ns_, clock_.now_ns() + period_ns_);
  while (!stop_.load(std::memory_order_relaxed)) {
    clock_.sleep_until(schedule.next_ns());
    const Slot slot = schedule.take(clock_.now_ns());
    const LoopWatch::Stretch watched;
    const FlushDenormals flushed;
    if (world_.simulate() && slot.skipped > 0) {
      add_word(sink_.statistics().counters.world_missed, slot.skipped);
    }
    if (++steps % kStepsPerCount == 0) {
      getrusage(RUSAGE_THREAD, &usage);
      store_word(sink_.statistics().counters.world_involuntary_switches,
                 static_cast<std::uint64_t>(usage.ru_nivcsw) - switches_before);
    }
  }
  done_.store(true, std::memory_order_release);
}

bool SimulationLoop::stop_within(double seconds) {
  using namespace std::chrono;
  stop();
  const auto until = steady_clock::now() + duration<double>(seconds);
  while (!done_.load(std::memory_order_acquire)) {
    if (steady_clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

}  // namespace haptic
