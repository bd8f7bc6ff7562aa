#include "rt/device/hand_goal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace haptic {
namespace {

/// `v`, or as much of it as has this length.
Vector3 at_most(const Vector3& v, double length) HAPTIC_REALTIME {
  const double norm = v.norm();
  return norm > length ? Vector3(v * (length / norm)) : v;
}

}  // namespace

HandGoal::HandGoal(HandScript script, double rate_hz, bool steered)
    : rate_hz_(rate_hz), steered_(steered) {
  scripts_.push_back(std::make_unique<Entry>(std::move(script)));
  current_ = scripts_.front().get();
  offered_.store(current_, std::memory_order_relaxed);
  pose_ = current_->script.pose(0.0);
  twist_ = current_->script.twist(0.0);
}

void HandGoal::follow(HandScript script) {
  // The first stays: first_script().
  std::erase_if(scripts_, [this](const std::unique_ptr<Entry>& entry) {
    return entry != scripts_.front() && entry->left.load(std::memory_order_acquire);
  });
  scripts_.push_back(std::make_unique<Entry>(std::move(script)));
  offered_.store(scripts_.back().get(), std::memory_order_release);
}

void HandGoal::advance(std::uint64_t exchange) HAPTIC_REALTIME {
  if (steered_) return steer_on();
  Entry* const offered = offered_.load(std::memory_order_acquire);
  if (offered != current_) begin(offered, exchange);
  const HandScript& script = current_->script;
  if (exchange < script_from_) {
    travel(static_cast<double>(exchange - travel_from_) /
           static_cast<double>(script_from_ - travel_from_));
    buttons_ = 0;
    return;
  }
  const double time = static_cast<double>(exchange - script_from_) / rate_hz_;
  pose_ = script.pose(time);
  twist_ = script.twist(time);
  buttons_ = script.buttons(time);
}

void HandGoal::begin(Entry* next, std::uint64_t exchange) HAPTIC_REALTIME {
  current_->left.store(true, std::memory_order_release);
  current_ = next;
  departure_ = pose_;
  const Pose start = next->script.pose(0.0);
  const double way = (start.position - departure_.position).norm();
  const double turn =
      rotation_logarithm(start.orientation * departure_.orientation.conjugate()).norm();
  const double seconds = std::max(way / kTravelSpeed, turn / kTravelAngularSpeed);
  travel_from_ = exchange;
  script_from_ = exchange + static_cast<std::uint64_t>(std::ceil(seconds * rate_hz_));
}

// Along a straight line and the shorter arc, with the fraction s² (3 - 2 s) of the way: at rest at
// both ends, at most 1.5 times the average speed.
void HandGoal::travel(double fraction) HAPTIC_REALTIME {
  const Pose start = current_->script.pose(0.0);
  const Vector3 way = start.position - departure_.position;
  const Vector3 turn = rotation_logarithm(start.orientation * departure_.orientation.conjugate());
  const double done = fraction * fraction * (3.0 - 2.0 * fraction);
  const double speed = 6.0 * fraction * (1.0 - fraction) * rate_hz_ /
                       static_cast<double>(script_from_ - travel_from_);
  pose_.position = departure_.position + done * way;
  pose_.orientation = (rotation_exponential(done * turn) * departure_.orientation).normalized();
  twist_ = {speed * way, speed * turn};
}

void HandGoal::steer_on() HAPTIC_REALTIME {
  const Vector3 position(target_[0], target_[1], target_[2]);
  const Quaternion orientation = rotation_exponential(Vector3(target_[3], target_[4], target_[5]));
  const Vector3 way = at_most(position - pose_.position, kSteeredSpeed / rate_hz_);
  const Vector3 turn = at_most(rotation_logarithm(orientation * pose_.orientation.conjugate()),
                               kSteeredAngularSpeed / rate_hz_);
  pose_.position += way;
  pose_.orientation = (rotation_exponential(turn) * pose_.orientation).normalized();
  twist_ = {rate_hz_ * way, rate_hz_ * turn};
}

}  // namespace haptic
