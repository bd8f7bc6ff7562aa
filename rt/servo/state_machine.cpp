#include "rt/servo/state_machine.h"

#include <algorithm>

namespace haptic {

bool StateMachine::update_homed(bool homed) HAPTIC_REALTIME {
  switch (state_) {
    case ServoState::kStarting:
      state_ = homed ? ServoState::kIdle : ServoState::kHoming;
      return false;
    case ServoState::kHoming:
      if (homed) state_ = ServoState::kIdle;
      return homed;
    case ServoState::kIdle:
      if (!homed) state_ = ServoState::kHoming;
      return false;
    case ServoState::kEngaged:
    case ServoState::kStopping:
      if (!homed) raise(FaultKind::kDeviceValue);
      return false;
    case ServoState::kFault:
      return false;
  }
  return false;
}

CommandAnswer StateMachine::engage(bool in_reach, bool enabled) HAPTIC_REALTIME {
  if (state_ == ServoState::kEngaged) return CommandAnswer::kApplied;
  if (state_ != ServoState::kIdle) return CommandAnswer::kWrongState;
  if (!enabled) return CommandAnswer::kNotEnabled;
  if (!in_reach) return CommandAnswer::kOutOfReach;
  state_ = ServoState::kEngaged;
  ramp_ = 0.0;
  return CommandAnswer::kApplied;
}

CommandAnswer StateMachine::release() HAPTIC_REALTIME {
  if (state_ == ServoState::kIdle) return CommandAnswer::kApplied;
  if (state_ != ServoState::kEngaged) return CommandAnswer::kWrongState;
  state_ = ServoState::kIdle;
  return CommandAnswer::kApplied;
}

void StateMachine::begin_stop(bool into_fault) HAPTIC_REALTIME {
  state_ = ServoState::kStopping;
  fade_from_ = ramp_;
  into_fault_ = into_fault;
}

bool StateMachine::stop() HAPTIC_REALTIME {
  if (state_ != ServoState::kEngaged || !(stop_s_ > 0.0)) return raise(FaultKind::kOperatorStop);
  begin_stop(true);
  return false;
}

void StateMachine::end() HAPTIC_REALTIME {
  if (state_ != ServoState::kEngaged) return;
  begin_stop(false);
  if (!(stop_s_ > 0.0)) finish_stop();
}

bool StateMachine::finish_stop() HAPTIC_REALTIME {
  if (state_ != ServoState::kStopping) return false;
  if (into_fault_) return raise(FaultKind::kOperatorStop);
  state_ = ServoState::kIdle;
  return false;
}

CommandAnswer StateMachine::reset() HAPTIC_REALTIME {
  if (state_ != ServoState::kFault) return CommandAnswer::kWrongState;
  state_ = ServoState::kStarting;
  fault_ = FaultKind::kNone;
  return CommandAnswer::kApplied;
}

bool StateMachine::raise(FaultKind fault) HAPTIC_REALTIME {
  if (state_ == ServoState::kFault) return false;
  state_ = ServoState::kFault;
  fault_ = fault;
  return true;
}

double StateMachine::advance_ramp(double dt) HAPTIC_REALTIME {
  if (state_ == ServoState::kStopping) {
    ramp_ = stop_s_ > dt ? std::max(0.0, ramp_ - fade_from_ * dt / stop_s_) : 0.0;
  } else if (state_ != ServoState::kEngaged) {
    ramp_ = 0.0;
  } else {
    ramp_ = ramp_s_ > dt ? std::min(1.0, ramp_ + dt / ramp_s_) : 1.0;
  }
  return ramp_;
}

}  // namespace haptic
