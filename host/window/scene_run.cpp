#include "host/window/scene_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/device/hand_script.h"
#include "rt/worlds/scene_device.h"
#include "shared/error.h"

namespace haptic {

SceneRun::SceneRun(const std::filesystem::path& path, std::size_t most_bytes)
    : most_bytes_(most_bytes) {
  const Scene scene = load_scene(path);
  const SceneDevice hand = simulated_hand(scene);
  rate_hz_ = scene.servo_rate();
  end_s_ = hand.script.empty() ? std::numeric_limits<double>::infinity()
                               : HandScript::load(hand.script).end_time();
  end_cycles_ = hand.script.empty()
                    ? std::numeric_limits<std::uint64_t>::max()
                    : static_cast<std::uint64_t>(std::floor(end_s_ * rate_hz_ + 0.5)) + 1;
  device_ = make_device(hand, rate_hz_);
  cycle_ = std::make_unique<OfflineCycle>(scene, *device_);
  pressing_ = dynamic_cast<const PressingContacts*>(&cycle_->simulated());
  layout_ = cycle_->world().state_layout();
  for (const BodyInfo& info : cycle_->world().bodies()) {
    bodies_.push_back({info.name, info.model_path, info.model_hash, info.first_coordinate,
                       info.coordinate_count, info.held});
  }
  run_cycles(1);
  thread_ = std::thread(&SceneRun::run, this);
}

SceneRun::~SceneRun() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SceneRun::keep() {
  RunMoment moment{static_cast<double>(done_ - 1) / rate_hz_,
                   cycle_->sample(),
                   {cycle_->state().begin(), cycle_->state().end()},
                   cycle_->display().state,
                   {},
                   cycle_->warning_records()};
  if (!kept_.empty() && kept_.back().time_s == moment.time_s) return;
  if (pressing_ != nullptr) moment.contacts = pressing_->pressing_contacts();
  bytes_ += moment.bytes();
  kept_.push_back(std::move(moment));
  while (bytes_ > most_bytes_ && kept_.size() > 2) {
    bytes_ -= kept_.front().bytes();
    kept_.pop_front();
  }
}

/// Up to `last` cycles in all.
void SceneRun::run_cycles(std::uint64_t last) {
  const std::uint64_t every = cycle_->cycles_a_display();
  std::string fault;
  std::uint64_t done = done_;
  try {
    while (done < last && (done == done_ || done % every != 0)) {
      cycle_->run();
      ++done;
    }
  } catch (const OperationError& error) {
    fault = error.what();
    ++done;  // the cycle of the fault has a sample
  }
  const std::lock_guard lock(mutex_);
  done_ = done;
  if (!fault.empty()) {
    faulted_ = true;
    message_ = fault;
  }
  if (faulted_ || done % every == 0 || done >= goal_) keep();
}

void SceneRun::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || (!faulted_ && done_ < goal_); });
    if (ending_) return;
    const std::uint64_t last = goal_;
    lock.unlock();
    run_cycles(last);
    lock.lock();
    changed_.notify_all();
  }
}

void SceneRun::run_to(double time_s) {
  {
    const std::lock_guard lock(mutex_);
    // Cycle k is at k / rate; rounding of the quotient must not add one.
    const double cycles = std::ceil(time_s * rate_hz_ - 1e-6) + 1.0;
    goal_ = cycles >= static_cast<double>(end_cycles_) ? end_cycles_
            : cycles > 0.0                             ? static_cast<std::uint64_t>(cycles)
                                                       : 0;
  }
  changed_.notify_all();
}

void SceneRun::step() {
  {
    const std::lock_guard lock(mutex_);
    goal_ = std::min(done_ + 1, end_cycles_);
  }
  changed_.notify_all();
  wait();
}

void SceneRun::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return faulted_ || done_ >= goal_; });
}

SceneRun::Span SceneRun::span() const {
  const std::lock_guard lock(mutex_);
  return {kept_.front().time_s, kept_.back().time_s, faulted_ || done_ >= end_cycles_};
}

RunMoment SceneRun::at(double time_s, int later) const {
  const std::lock_guard lock(mutex_);
  const auto after = std::ranges::upper_bound(kept_, time_s, {}, &RunMoment::time_s);
  const std::ptrdiff_t index = after - kept_.begin() - 1 + later;
  const auto last = static_cast<std::ptrdiff_t>(kept_.size()) - 1;
  return kept_[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index, 0, last))];
}

std::string SceneRun::message() const {
  const std::lock_guard lock(mutex_);
  return message_;
}

}  // namespace haptic
