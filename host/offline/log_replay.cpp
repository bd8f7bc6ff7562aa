#include "host/offline/log_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "host/offline/logged_rows.h"
#include "host/offline/recorded_scene.h"
#include "rt/session/scene_world.h"
#include "shared/assert.h"
#include "shared/error.h"
#include "shared/math/flush_denormals.h"

namespace haptic {
namespace {

constexpr const char* kHandAge = "/samples/world_hand_age";

/// World steps that each row shows and their hands, of a scene at two rates.
class LoggedSteps {
 public:
  explicit LoggedSteps(const LogReader& log)
      : step_(log.column("/samples/world_step")), age_(log.column(kHandAge)) {}

  WorldOutput at(std::uint64_t row) const {
    WorldOutput shown;
    shown.world_step = static_cast<std::uint64_t>(step_[row]);
    for (std::size_t i = 0; i < WorldOutput::kHandAges; ++i) {
      shown.world_hand_age[i] = static_cast<std::uint32_t>(age_[WorldOutput::kHandAges * row + i]);
    }
    return shown;
  }

 private:
  std::vector<double> step_, age_;
};

void check_models(const LogReader& log, const World& world, const std::filesystem::path& path) {
  const std::vector<LogBody>& logged = log.description().bodies;
  if (logged.size() != world.bodies().size()) {
    throw InputError(
        path.string(), "bodies", fmt::format("{} logged", logged.size()),
        fmt::format("{}, as in {} now", world.bodies().size(), log.description().scene_path));
  }
  for (std::size_t b = 0; b < logged.size(); ++b) {
    if (logged[b].model_hash != world.bodies()[b].model_hash) {
      throw InputError(path.string(), logged[b].name,
                       fmt::format("logged with model {:016x}", logged[b].model_hash),
                       fmt::format("{:016x}, which {} is now", world.bodies()[b].model_hash,
                                   world.bodies()[b].model_path));
    }
  }
}

/// A log of an earlier version may lack blocks.
void check_state(const LogReader& log, const World& world, const std::filesystem::path& path) {
  const auto logged = log.description().state.blocks(), now = world.state_layout().blocks();
  const auto is_published = [&](const StateBlock& block) {
    const auto same = std::ranges::find(now, block.name, &StateBlock::name);
    return same != now.end() && same->shape == block.shape && same->rate == block.rate;
  };
  if (std::ranges::all_of(logged, is_published)) return;
  const auto names = [](std::span<const StateBlock> blocks) {
    std::string text;
    for (const StateBlock& block : blocks) {
      text += fmt::format("{}{}[{}]", text.empty() ? "" : ", ", block.name, block.size());
    }
    return text;
  };
  throw InputError(path.string(), "blocks", fmt::format("logged {}", names(logged)),
                   fmt::format("{}, as in {} now", names(now), log.description().scene_path));
}

Scene scene_of(const LogReader& log) {
  Scene scene = recorded_scene(log);
  if (scene.coupling.limit_to_device && log.description().device_stiffness_N_m) {
    scene.coupling.max_stiffness = *log.description().device_stiffness_N_m;
  }
  if (scene.cycles_per_step() != 1 && !log.has(kHandAge)) {
    throw InputError(log.path().string(), kHandAge,
                     "not found: an earlier version recorded this log",
                     "the cycles whose hand the world's steps had, for a scene at two rates");
  }
  return scene;
}

/// @throws InputError unless the log begins with the first step of its world
void check_begin(const LogReader& log, std::span<const double> cycle,
                 const std::vector<EventRecord>& events) {
  const auto begins_with = [&](const EventRecord& event) {
    return event.kind == EventKind::kScene && static_cast<double>(event.cycle + 1) == cycle.front();
  };
  if (!cycle.empty() &&
      (cycle.front() == 0.0 || (!events.empty() && begins_with(events.front())))) {
    return;
  }
  throw InputError(log.path().string(), "/samples/cycle",
                   cycle.empty() ? "no rows" : fmt::format("begins with {:.0f}", cycle.front()),
                   "a log from the first cycle of its scene on (haptic record --from-oldest)");
}

/// How many rows can be followed: to the first missing cycle, or to the first missing command.
/// @param notes  gets the reason
std::uint64_t followed_rows(const LogReader& log, std::span<const double> cycle,
                            const std::vector<EventRecord>& events,
                            std::vector<std::string>& notes) {
  std::uint64_t rows = 1;
  while (rows < cycle.size() && cycle[rows] == cycle.front() + static_cast<double>(rows)) ++rows;
  if (rows < cycle.size()) {
    notes.push_back(fmt::format("cycle {:.0f} is missing: the cycles after it are not compared",
                                cycle[rows - 1] + 1.0));
  }
  if (!log.has("/events/number")) return rows;
  const auto first = static_cast<std::uint64_t>(cycle.front());
  if (const auto missing = missing_events(events, first)) {
    const std::uint64_t known = missing->from_cycle - std::min(first, missing->from_cycle);
    if (known < rows) {
      rows = known;
      notes.push_back(
          fmt::format("events {} to {} are missing: the cycles from {} on are not compared",
                      missing->first, missing->last, missing->from_cycle));
    }
  }
  if (!log.is_complete()) {
    notes.emplace_back(
        "the recording was not finished: commands in its last cycles may be missing");
  }
  return rows;
}

}  // namespace

struct LogReplay::Parts {
  explicit Parts(const LogReader& logged)
      : log(logged),
        scene(scene_of(log)),
        world(make_scene_world(scene, nullptr, TwoRateWorld::Threading::kFollowing)),
        cycle(log.column("/samples/cycle")),
        events(log.events()),
        hand(log),
        servo(log),
        commands(events, world.at_servo()) {
    if (world.two_rate) steps.emplace(log);
  }

  const LogReader& log;
  Scene scene;
  SceneWorld world;
  std::vector<double> cycle;
  std::vector<EventRecord> events;
  LoggedHand hand;
  LoggedServo servo;
  std::optional<LoggedSteps> steps;  // at two rates
  ReplayedCommands commands;
  std::vector<std::string> notes;
  WorldOutput output;  // of a failed step: the last one, as in the cycle
  std::uint64_t rows = 0, row = 0;
};

LogReplay::LogReplay(const LogReader& log) : parts_(std::make_unique<Parts>(log)) {
  check_models(log, at_servo(), log.path());
  check_state(log, at_servo(), log.path());
  check_begin(log, parts_->cycle, parts_->events);
  parts_->rows = followed_rows(log, parts_->cycle, parts_->events, parts_->notes);
}

LogReplay::~LogReplay() = default;

std::uint64_t LogReplay::rows() const {
  return parts_->rows;
}

std::uint64_t LogReplay::row() const {
  return parts_->row;
}

const WorldOutput& LogReplay::step() {
  Parts& parts = *parts_;
  HAPTIC_DEMAND(parts.row < parts.rows);
  const std::uint64_t row = parts.row++;
  const auto now = static_cast<std::uint64_t>(parts.cycle[row]);
  World& world = parts.world.at_servo();
  const FlushDenormals flushed;  // as the cycle does
  parts.commands.apply(now);
  if (parts.servo.ends_homing(row)) world.reset();
  if (parts.steps && !parts.world.two_rate->follow(parts.steps->at(row))) {
    throw InputError(
        parts.log.path().string(), kHandAge,
        fmt::format("cycle {}: found world steps that cannot follow those before", now),
        "steps and hands in order");
  }
  const bool failed = world.step(parts.hand.at(row), parts.output) != WorldStatus::kOk;
  if (failed) parts.output.device_wrench = Wrench{};
  if (failed ? !parts.servo.has_fault(row) : parts.servo.latches_fault_of_world(row)) {
    throw OperationError(fmt::format("{}: cycle {}: the world fails {}", parts.log.path().string(),
                                     now, failed ? "now, not in the log" : "in the log, not now"));
  }
  return parts.output;
}

const World& LogReplay::at_servo() const {
  return parts_->world.at_servo();
}

const World& LogReplay::simulated() const {
  return *parts_->world.simulated;
}

const std::vector<std::string>& LogReplay::notes() const {
  return parts_->notes;
}

const std::vector<ReplayedCommand>& LogReplay::commands() const {
  return parts_->commands.done();
}

}  // namespace haptic
