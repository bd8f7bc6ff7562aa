// What an operator may do to a cycle: the commands and the parameters of `haptic set`.
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/parameter_table.h"

namespace haptic {

CommandReply HapticCycle::execute(const ServoCommand& command) HAPTIC_REALTIME {
  CommandAnswer answer = CommandAnswer::kMalformed;
  switch (command.kind) {
    case CommandKind::kEngage:
      answer = machine_.engage(scene_->guard.check_hand(hand_) == FaultKind::kNone);
      break;
    case CommandKind::kRelease:
      answer = machine_.release();
      break;
    case CommandKind::kStop:
      raise(FaultKind::kOperatorStop);
      answer = CommandAnswer::kApplied;
      break;
    case CommandKind::kReset:
      answer = machine_.reset();
      if (answer == CommandAnswer::kApplied) {
        scene_->world.reset();
        device_.restart();
        overruns_in_a_row_ = 0;
      }
      break;
    case CommandKind::kSet:
      answer = set_parameter(command.parameter, command.value);
      break;
    case CommandKind::kHome:
      answer = machine_.state() == ServoState::kHoming ? CommandAnswer::kApplied
                                                       : CommandAnswer::kWrongState;
      if (answer == CommandAnswer::kApplied) device_.home();
      break;
    case CommandKind::kTakeover:
    case CommandKind::kLoad:  // the supervisor's
      break;
  }
  return {answer, machine_.state(), machine_.fault(), 0, 0.0, 0.0};
}

CommandAnswer HapticCycle::set_parameter(std::uint32_t parameter, double value) HAPTIC_REALTIME {
  const auto within = [value](double low, double high) { return value >= low && value <= high; };
  bool applied = false;
  switch (parameter) {
    case kForceLimit:
      applied = within(0.0, ceiling_.force);
      if (applied) scene_->guard.limits().force = value;
      break;
    case kTorqueLimit:
      applied = within(0.0, ceiling_.torque);
      if (applied) scene_->guard.limits().torque = value;
      break;
    case kRampSeconds:
      applied = within(0.0, 60.0);
      if (applied) machine_.set_ramp(value);
      break;
    case kSlewLimit:
      applied = within(1.0, 1e9);
      if (applied) scene_->guard.limits().slew_N_per_s = value;
      break;
    default: {
      const std::size_t index = parameter - kServoParameterCount;
      if (index >= scene_->world.parameters().size()) return CommandAnswer::kUnknownKey;
      applied = scene_->world.set_parameter(index, value);
    }
  }
  return applied ? CommandAnswer::kApplied : CommandAnswer::kOutOfRange;
}

double HapticCycle::parameter(std::size_t index) const HAPTIC_REALTIME {
  switch (index) {
    case kForceLimit:
      return scene_->guard.limits().force;
    case kTorqueLimit:
      return scene_->guard.limits().torque;
    case kRampSeconds:
      return machine_.ramp_s();
    case kSlewLimit:
      return scene_->guard.limits().slew_N_per_s;
    default:
      return scene_->world.parameter(index - kServoParameterCount);
  }
}

}  // namespace haptic
