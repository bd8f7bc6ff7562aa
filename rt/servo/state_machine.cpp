#include "rt/servo/state_machine.h"

#include <algorithm>

namespace haptic {

bool StateMachine::hear_device(bool homed) HAPTIC_REALTIME {
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
      if (!homed) raise(FaultKind::kDeviceValue);
      return false;
    case ServoState::kFault:
      return false;
  }
  return false;
}

CommandAnswer StateMachine::engage(bool in_reach) HAPTIC_REALTIME {
  if (state_ == ServoState::kEngaged) return CommandAnswer::kApplied;
  if (state_ != ServoState::kIdle) return CommandAnswer::kWrongState;
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

CommandAnswer StateMachine::stop() HAPTIC_REALTIME {
  raise(FaultKind::kOperatorStop);
  return CommandAnswer::kApplied;
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
  if (state_ != ServoState::kEngaged) {
    ramp_ = 0.0;
  } else {
    ramp_ = ramp_s_ > dt ? std::min(1.0, ramp_ + dt / ramp_s_) : 1.0;
  }
  return ramp_;
}

}  // namespace haptic
