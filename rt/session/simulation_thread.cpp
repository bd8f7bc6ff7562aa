#include "rt/session/simulation_thread.h"

#include <algorithm>
#include <utility>

namespace haptic {

SimulationThread::SimulationThread(TwoRateWorld& world, Clock& clock, CycleSink& sink,
                                   double rate_hz, const SessionOptions& options)
    : loop_(world, clock, sink, rate_hz), thread_([this, &options] { run(options); }) {}

SimulationThread::~SimulationThread() {
  if (!prepared_) go_.set_value(false);
  loop_.stop();
}

RealtimeReport SimulationThread::prepare() {
  prepared_ = true;
  go_.set_value(true);
  return report_.get_future().get();
}

void SimulationThread::run(const SessionOptions& options) {
  if (!go_.get_future().get()) return;
  RealtimeReport report;
  // Below the servo's priority: a long world step must not delay the servo on a shared CPU.
  prepare_loop_thread(options.simulation_cpu, std::max(options.priority - 1, 0), report);
  filter_loop_thread(options.call_filter, report);
  report_.set_value(std::move(report));
  loop_.run();
}

}  // namespace haptic
