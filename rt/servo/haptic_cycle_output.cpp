// The output of a cycle: the part of the world's wrench that reaches the device, and stops.
#include <cmath>

#include "rt/servo/haptic_cycle.h"
#include "rt/servo/records.h"

namespace haptic {
namespace {

// Fraction of the force limit that may be set to zero at the end of a controlled stop without a
// jolt.
constexpr double kFadedForceFraction = 0.01;

}  // namespace

void HapticCycle::feel() HAPTIC_REALTIME {
  if (machine_.state() == ServoState::kStopping) advance_stop();
  if (machine_.drives()) {
    const FaultKind broken = scene_->guard.check_hand(hand_);
    if (broken != FaultKind::kNone) raise(broken);
    check_age();
  }
  OutputGuard::Result out;
  const double ramp = machine_.advance_ramp(dt_) * advance_fade() * output_.force_scale;
  if (machine_.drives()) {
    out = render(ramp);
    if (out.fault != FaultKind::kNone) raise(out.fault);
  } else {
    out.wrench = scene_->guard.zero();
    scene_->passivity.begin(hand_.pose);
    if (!is_finite(output_.device_wrench)) raise(FaultKind::kWrenchNotFinite);
  }
  device_.set_enabled(machine_.drives());
  handle_device_status(device_.actuate(out.wrench), FaultKind::kWrenchNotFinite);
  write(sample_.device_wrench, out.wrench);
  scene_->passivity.sent(out.wrench);
  sent_nothing_ = out.wrench.force.isZero(0.0) && out.wrench.torque.isZero(0.0);
  output_since_ns_ = machine_.drives() ? begin_ns_ : 0;
  last_ramp_ = ramp;
  sample_.ramp = ramp;
  sample_.limited = out.limited;
  if ((out.limited & ~std::uint32_t{kLimitedRamp}) != 0) {
    add_word(scene_->sink.statistics().counters.limited_cycles, 1);
  }
}

// Checks the age of the present output, counted from the start of the cycle that sent it. This
// detects a loop that missed its slots as well as a cycle that took too long.
void HapticCycle::check_age() HAPTIC_REALTIME {
  const std::int64_t since = output_since_ns_ > 0 ? output_since_ns_ : begin_ns_;
  if (clock_.now_ns() - since > scene_->stale_ns) raise(FaultKind::kStaleCommand);
}

// The wrench of the world after the guard, with the damping that keeps the port passive and, in a
// controlled stop, the damping that brings the hand to rest.
OutputGuard::Result HapticCycle::render(double ramp) HAPTIC_REALTIME {
  scene_->passivity.observe(hand_.pose, elapsed_s_);
  const Wrench& wanted = output_.device_wrench;
  Wrench added = scene_->passivity.control({ramp * wanted.force, ramp * wanted.torque},
                                           ramp * output_.stored_energy_J,
                                           (ramp - last_ramp_) * output_.stored_energy_J);
  OutputGuard::Step step{.elapsed_s = elapsed_s_};
  if (machine_.state() == ServoState::kStopping) {
    const ServoLimits& limits = scene_->guard.limits();
    const Wrench brake = scene_->brake.wrench(hand_.twist, limits.force, limits.torque);
    added.force += brake.force;
    added.torque += brake.torque;
    // A force that slew limits delay must not push the hand: its power is limited to that of the
    // fading force.
    const double fading =
        ramp * (wanted.force.dot(hand_.twist.linear) + wanted.torque.dot(hand_.twist.angular));
    step.most_power = fading > 0.0 ? fading : 0.0;
  }
  return scene_->guard.shape(wanted, ramp, added, hand_.twist, step);
}

void HapticCycle::stop() HAPTIC_REALTIME {
  const bool drove = machine_.state() == ServoState::kEngaged;
  if (machine_.stop()) count(FaultKind::kOperatorStop);
  begin_brake(drove);
}

void HapticCycle::end_drive() HAPTIC_REALTIME {
  const bool drove = machine_.state() == ServoState::kEngaged;
  machine_.end();
  begin_brake(drove);
}

void HapticCycle::begin_brake(bool drove) HAPTIC_REALTIME {
  if (!drove || machine_.state() != ServoState::kStopping) return;
  scene_->brake.begin(hand_.pose);
  stop_left_s_ = machine_.stop_s() + elapsed_s_;  // this cycle is its first
}

// The stop ends after its time, or when the hand is at rest and no force remains to fade. A hand
// that presses against a wall is at rest too, and the wall must not vanish in one step.
void HapticCycle::advance_stop() HAPTIC_REALTIME {
  scene_->brake.observe(hand_.pose);
  stop_left_s_ -= elapsed_s_;
  const ServoLimits& limits = scene_->guard.limits();
  const Wrench& wanted = output_.device_wrench;
  const bool faded = last_ramp_ * wanted.force.norm() <= kFadedForceFraction * limits.force &&
                     last_ramp_ * wanted.torque.norm() <= kFadedForceFraction * limits.torque;
  const bool rests = faded && scene_->brake.at_rest(hand_.twist);
  if (!rests && stop_left_s_ > 0.5 * dt_) return;
  if (machine_.finish_stop()) count(FaultKind::kOperatorStop);
}

void HapticCycle::zero_device() HAPTIC_REALTIME {
  device_.set_enabled(false);
  // A refusal has no consequence any more.
  [[maybe_unused]] const DeviceStatus status = device_.actuate(scene_->guard.zero());
}

}  // namespace haptic
