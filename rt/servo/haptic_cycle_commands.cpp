// What an operator may do to a cycle: the commands and the parameters of `haptic set`.
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/parameter_table.h"

namespace haptic {

CommandReply HapticCycle::execute(const ServoCommand& command) HAPTIC_REALTIME {
  CommandAnswer answer = CommandAnswer::kMalformed;
  World::Range range{0.0, 0.0};
  switch (command.kind) {
    case CommandKind::kEngage:
      answer = machine_.engage(scene_->guard.check_hand(hand_) == FaultKind::kNone, enabled());
      break;
    case CommandKind::kRelease:
      answer = machine_.release();
      break;
    case CommandKind::kStop:
      stop();
      answer = CommandAnswer::kApplied;
      break;
    case CommandKind::kReset:
      answer = machine_.reset();
      if (answer == CommandAnswer::kApplied) {
        scene_->world.reset();
        device_.restart();
        scene_->load.clear();
      }
      break;
    case CommandKind::kSet:
      answer = set_parameter(command.parameter, command.value);
      if (answer == CommandAnswer::kOutOfRange) range = allowed(command.parameter, command.value);
      break;
    case CommandKind::kPull:
      answer =
          scene_->world.pull(command.pull) ? CommandAnswer::kApplied : CommandAnswer::kNotPulled;
      break;
    case CommandKind::kHome:
      answer = machine_.state() == ServoState::kHoming ? CommandAnswer::kApplied
                                                       : CommandAnswer::kWrongState;
      if (answer == CommandAnswer::kApplied) device_.home();
      break;
    case CommandKind::kTakeover:
    case CommandKind::kMark:
    case CommandKind::kLoad:  // handled by the supervisor
      break;
  }
  return {answer, machine_.state(), machine_.fault(), 0, range.minimum, range.maximum};
}

CommandAnswer HapticCycle::set_parameter(std::uint32_t parameter, double value) HAPTIC_REALTIME {
  if (parameter >= scene_->parameters.size()) return CommandAnswer::kUnknownKey;
  if (!scene_->parameters.contains(parameter, value)) return CommandAnswer::kOutOfRange;
  const ParameterTable::Entry& entry = scene_->parameters.entries()[parameter];
  switch (entry.owner) {
    case ParameterOwner::kServo:
      return set_limit(entry.index, value);
    case ParameterOwner::kWorld:
      return scene_->world.set_parameter(entry.index, value) ? CommandAnswer::kApplied
                                                             : CommandAnswer::kOutOfRange;
    case ParameterOwner::kDevice:
      device_.set_parameter(entry.index, value);
      break;
  }
  return CommandAnswer::kApplied;
}

World::Range HapticCycle::allowed(std::uint32_t parameter, double value) HAPTIC_REALTIME {
  const ParameterTable::Entry& entry = scene_->parameters.entries()[parameter];
  const bool excluded_by_others =
      entry.owner == ParameterOwner::kWorld && scene_->parameters.contains(parameter, value);
  if (excluded_by_others) return scene_->world.allowed(entry.index, value);
  return {entry.minimum, entry.maximum};
}

// A limit that the hand already exceeds would cause a fault at once; such a limit is refused.
CommandAnswer HapticCycle::set_limit(std::uint32_t parameter, double value) HAPTIC_REALTIME {
  double& limit = scene_->guard.limits().*kServoParameters[parameter].value;
  const double before = limit;
  limit = value;
  if (machine_.drives() && scene_->guard.check_hand(hand_) != FaultKind::kNone) {
    limit = before;
    return CommandAnswer::kOutOfReach;
  }
  machine_.set_ramp(scene_->guard.limits().ramp_s);
  const auto row = kServoParameters[parameter].value;
  if (row == &ServoLimits::force) scene_->world.limit_wrench(value, 0.0);
  if (row == &ServoLimits::torque) scene_->world.limit_wrench(0.0, value);
  return CommandAnswer::kApplied;
}

double HapticCycle::parameter(std::size_t index) const HAPTIC_REALTIME {
  return scene_->parameters.value(index, scene_->guard.limits(), scene_->world, device_);
}

}  // namespace haptic
