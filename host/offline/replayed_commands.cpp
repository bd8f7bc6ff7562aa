#include "host/offline/replayed_commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "shared/error.h"
#include "shared/ipc/event_text.h"

namespace haptic {
namespace {

bool was_executed(const EventRecord& event) {
  return event.kind == EventKind::kCommand && event.executed != 0 &&
         event.answer == CommandAnswer::kApplied;
}

[[noreturn]] void refuse(const EventRecord& event, const std::string& why) {
  throw OperationError(fmt::format("cycle {}: {} is refused now{}{}", event.cycle,
                                   event_text(event), why.empty() ? "" : ": ", why));
}

}  // namespace

ReplayedCommands::ReplayedCommands(const std::vector<EventRecord>& events, World& world)
    : world_(world) {
  for (const EventRecord& event : events) {
    if (!was_executed(event)) continue;
    Executed executed{event, {}};
    if (event.command == CommandKind::kPull && event.key[0] != '\0') {
      executed.pull = pull_of(event.pull);
      const std::string why = world.prepare_pull(event.key, executed.pull);
      if (!why.empty()) refuse(event, why);
    }
    executed_.push_back(executed);
  }
  // A stop is recorded by another thread than the other commands.
  std::ranges::stable_sort(executed_, {}, [](const Executed& e) { return e.event.cycle; });
}

void ReplayedCommands::apply(std::uint64_t cycle) {
  for (; next_ < executed_.size() && executed_[next_].event.cycle <= cycle; ++next_) {
    const EventRecord& event = executed_[next_].event;
    if (event.cycle < cycle) continue;  // before the log's first cycle
    done_.push_back({cycle, event_text(event), change_world(executed_[next_])});
  }
}

// The other commands and the other parameters belong to servo and device: they change the output,
// not what the world computes.
bool ReplayedCommands::change_world(const Executed& executed) {
  switch (executed.event.command) {
    case CommandKind::kReset:
      world_.reset();
      return true;
    case CommandKind::kPull:
      if (!world_.pull(executed.pull)) refuse(executed.event, "");
      return true;
    case CommandKind::kSet:
      return set(executed.event);
    default:
      return false;
  }
}

bool ReplayedCommands::set(const EventRecord& event) {
  const auto parameters = world_.parameters();
  const auto named =
      std::ranges::find(parameters, std::string_view(event.key), &World::Parameter::name);
  if (named == parameters.end()) return limit(event);
  const auto index = static_cast<std::size_t>(named - parameters.begin());
  if (!world_.set_parameter(index, event.value)) refuse(event, "");
  return true;
}

/// Limits of the servo that the world's coupling has, too.
bool ReplayedCommands::limit(const EventRecord& event) {
  const std::string_view key = event.key;
  if (key == "limits.force") {
    world_.limit_wrench(event.value, 0.0);
  } else if (key == "limits.torque") {
    world_.limit_wrench(0.0, event.value);
  } else {
    return false;
  }
  return true;
}

std::optional<MissingEvents> missing_events(const std::vector<EventRecord>& events,
                                            std::uint64_t first_cycle) {
  std::uint64_t next = 0, cycle = first_cycle;
  const bool begins_with_scene = !events.empty() && events.front().kind == EventKind::kScene;
  if (begins_with_scene) next = events.front().number;
  for (const EventRecord& event : events) {
    if (event.number != next) return MissingEvents{next, event.number - 1, cycle};
    const bool stands_for_some = event.kind == EventKind::kLeftOut && event.executed != 0;
    if (stands_for_some) return MissingEvents{event.number, event.number, cycle};
    if (event.executed != 0) cycle = std::max(cycle, event.cycle + 1);
    next = event.number + 1;
  }
  return std::nullopt;
}

}  // namespace haptic
