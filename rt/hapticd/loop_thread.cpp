#include "rt/hapticd/loop_thread.h"

namespace haptic {

LoopThread::LoopThread(ServoLoop& loop, Clock& clock, const Options& options, int cpu,
                       RealtimeReport& report)
    : thread_([this, &loop, &clock, &options, cpu, &report] {
        memory_locked_.get_future().wait();
        prepare_loop_thread(cpu, options.priority, report);
        filter_loop_thread(options.call_filter, report);
        prepared_.set_value();
        if (!starts_.get_future().get()) return;
        start_ns_ = clock.now_ns();
        loop.run(options.cycles);
        end_ns_ = clock.now_ns();
      }) {}

LoopThread::~LoopThread() {
  if (!is_prepared_) memory_locked_.set_value();
  if (!is_decided_) starts_.set_value(false);
}

void LoopThread::prepare() {
  is_prepared_ = true;
  memory_locked_.set_value();
  prepared_.get_future().wait();
}

void LoopThread::start() {
  is_decided_ = true;
  starts_.set_value(true);
}

double LoopThread::join() {
  thread_.join();
  return static_cast<double>(end_ns_ - start_ns_) * 1e-9;
}

}  // namespace haptic
