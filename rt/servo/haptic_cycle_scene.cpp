// Change of the scene in a cycle: fade the force out, change, ramp the force in.
#include <algorithm>
#include <cmath>

#include "rt/servo/haptic_cycle.h"

namespace haptic {

bool HapticCycle::ready_to_switch() const HAPTIC_REALTIME {
  if (!machine_.drives()) return true;
  if (machine_.state() == ServoState::kStopping) return false;
  return fade_ == 0.0 && (sent_nothing_ || lingered_ >= linger_slots_);
}

void HapticCycle::change_scene() HAPTIC_REALTIME {
  ServoScene* const next = scenes_.offered();
  if (next == nullptr || !ready_to_switch()) return;
  // Counters since the daemon's start continue from the previous scene. The loop writes its other
  // counters in full in every cycle.
  const Counters& before = scene_->sink.statistics().counters;
  Counters& after = next->sink.statistics().counters;
  for (std::size_t i = 0; i < kFaultKinds; ++i) store_word(after.faults[i], before.faults[i]);
  store_word(after.overruns, before.overruns);
  store_word(after.limited_cycles, before.limited_cycles);
  store_word(after.page_faults_minor, before.page_faults_minor);
  store_word(after.page_faults_major, before.page_faults_major);
  store_word(after.involuntary_switches, before.involuntary_switches);
  if (!scenes_.take(*scene_)) return;
  commands_.begin_epoch();  // a pending engage was meant for the old scene

  scene_ = next;
  machine_.set_ramp(next->guard.limits().ramp_s);
  machine_.set_stop(next->guard.limits().stop_s);
  machine_.restart_ramp();
  fade_ = 1.0;
  last_ramp_ = 0.0;
  lingered_ = 0;
  output_ = WorldOutput{};
  next_parameter_ = 0;
  next->passivity.begin(hand_.pose);
  // The new limits may exclude the position or speed of the hand, or require a button that is not
  // pressed. This is not a fault; the force stays zero.
  if (machine_.state() == ServoState::kEngaged &&
      (next->guard.check_hand(hand_) != FaultKind::kNone || !enabled())) {
    machine_.release();
  }
}

double HapticCycle::advance_fade() HAPTIC_REALTIME {
  const double step = machine_.ramp_s() > dt_ ? dt_ / machine_.ramp_s() : 1.0;
  if (scenes_.offered() == nullptr) {
    lingered_ = 0;
    fade_ = std::min(1.0, fade_ + step);
  } else {
    if (fade_ == 0.0) lingered_ += static_cast<std::uint64_t>(std::llround(elapsed_s_ / dt_));
    fade_ = fade_ > step * (1.0 + 1e-9) ? fade_ - step : 0.0;
  }
  return fade_;
}

}  // namespace haptic
