#include "host/offline/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "rt/session/scene_world.h"
#include "shared/error.h"
#include "shared/math/flush_denormals.h"

namespace haptic {
namespace {

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

void check_state(const LogReader& log, const World& world, const std::filesystem::path& path) {
  const auto logged = log.description().state.blocks(), now = world.state_layout().blocks();
  if (std::ranges::equal(logged, now)) return;
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
  const std::string& path = log.description().scene_path;
  const std::optional<std::string> text = log.scene_text();
  Scene scene = text ? parse_scene(*text, path) : load_scene(path);
  if (scene.coupling.limit_to_device && log.description().device_stiffness_N_m) {
    scene.coupling.max_stiffness = *log.description().device_stiffness_N_m;
  }
  if (log.description().source == "hapticd" && scene.cycles_a_step() != 1) {
    throw InputError(log.path().string(), "servo_rate_hz",
                     "found a daemon's log of a scene at two rates",
                     "one rate (two threads never meet in the same cycles again)");
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

/// The hand in every row.
class LoggedHand {
 public:
  explicit LoggedHand(const LogReader& log)
      : p_(log.column("/samples/device_position_m")),
        q_(log.column("/samples/device_orientation_wxyz")),
        v_(log.column("/samples/device_velocity_m_s")),
        w_(log.column("/samples/device_angular_velocity_rad_s")),
        buttons_(log.column("/samples/buttons")) {}

  DeviceState at(std::uint64_t row) const {
    DeviceState hand;
    hand.pose.position = Vector3(&p_[3 * row]);
    hand.pose.orientation =
        Quaternion(q_[4 * row], q_[4 * row + 1], q_[4 * row + 2], q_[4 * row + 3]);
    hand.twist.linear = Vector3(&v_[3 * row]);
    hand.twist.angular = Vector3(&w_[3 * row]);
    hand.buttons = static_cast<std::uint32_t>(buttons_[row]);
    return hand;
  }

 private:
  std::vector<double> p_, q_, v_, w_, buttons_;
};

/// State and fault of the servo in every row.
class LoggedServo {
 public:
  explicit LoggedServo(const LogReader& log)
      : state_(log.column("/samples/state")), fault_(log.column("/samples/fault")) {}

  /// The servo resets the world when the device has found its reference pose.
  bool ends_homing(std::uint64_t row) const {
    return row > 0 && is(state_[row - 1], ServoState::kHoming) &&
           !is(state_[row], ServoState::kHoming) && !is(state_[row], ServoState::kFault);
  }
  bool has_fault(std::uint64_t row) const { return fault_[row] != 0.0; }
  /// Whether the world failed for the first time since the last reset, as far as the log says: a
  /// fault that is latched already hides others.
  bool latches_fault_of_world(std::uint64_t row) const {
    if (row > 0 && fault_[row - 1] == fault_[row]) return false;
    return is(fault_[row], FaultKind::kWorldDiverged) ||
           is(fault_[row], FaultKind::kWorldNotFinite) ||
           is(fault_[row], FaultKind::kWorldCapacity);
  }

 private:
  template <class Kind>
  static bool is(double value, Kind kind) {
    return value == static_cast<double>(kind);
  }
  std::vector<double> state_, fault_;
};

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

std::array<double, 4> wxyz(const Quaternion& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace

double ReplayOutcome::largest() const {
  double largest = 0.0;
  for (const auto& [name, difference] : differences) {
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

ReplayOutcome replay_log(const std::filesystem::path& path,
                         const std::function<void(double)>& progress) {
  const LogReader log(path);
  const Scene scene = scene_of(log);
  const SceneWorld scene_world =
      make_scene_world(scene, nullptr, TwoRateWorld::Threading::kTogether);
  World* const world = &scene_world.at_servo();
  check_models(log, *world, path);
  check_state(log, *world, path);

  const std::vector<double> cycle = log.column("/samples/cycle");
  const std::vector<EventRecord> events = log.events();
  check_begin(log, cycle, events);
  ReplayOutcome outcome;
  const std::uint64_t rows = followed_rows(log, cycle, events, outcome.notes);
  const LoggedHand hand(log);
  const LoggedServo servo(log);
  ReplayComparison comparison(log);
  for (const char* name :
       {"/samples/held_position_m", "/samples/held_orientation_wxyz", "/samples/wanted_force_N",
        "/samples/wanted_torque_Nm", "/samples/contact_force_N", "/samples/contact_torque_Nm"}) {
    comparison.add_column(name);
  }
  const StateLayout& layout = world->state_layout();
  ReplayComparison measured(log);   // of what follows the times of the run
  std::vector<std::string> blocks;  // columns, in the order of the layout; empty: not in the log
  for (const StateBlock& block : layout.blocks()) {
    const bool logged = block.rate == StateRate::kCycle && block.size() > 0;
    blocks.push_back(logged ? "/state/" + block.name : "");
    if (logged) (block.measured ? measured : comparison).add_column(blocks.back());
  }

  ReplayedCommands commands(events, *world);
  const FlushDenormals flushed;  // as the cycle does
  WorldOutput output;            // of a failed step: the last one, as in the cycle
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto now = static_cast<std::uint64_t>(cycle[row]);
    commands.apply(now);
    if (servo.ends_homing(row)) world->reset();
    const bool failed = world->step(hand.at(row), output) != WorldStatus::kOk;
    if (failed) output.device_wrench = Wrench{};
    if (failed ? !servo.has_fault(row) : servo.latches_fault_of_world(row)) {
      throw OperationError(fmt::format("{}: cycle {}: the world fails {}", path.string(), now,
                                       failed ? "now, not in the log" : "in the log, not now"));
    }
    const auto compare = [&](const std::string& name, const auto& values) {
      comparison.add(name, row, now, values);
    };
    compare("/samples/held_position_m", output.held_pose.position);
    compare("/samples/held_orientation_wxyz", wxyz(output.held_pose.orientation));
    compare("/samples/wanted_force_N", output.device_wrench.force);
    compare("/samples/wanted_torque_Nm", output.device_wrench.torque);
    compare("/samples/contact_force_N", output.contact_wrench.force);
    compare("/samples/contact_torque_Nm", output.contact_wrench.torque);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      if (blocks[block].empty()) continue;
      (layout.blocks()[block].measured ? measured : comparison)
          .add(blocks[block], row, now, world->state(block));
    }
    ++outcome.cycles;
    if (progress) progress(static_cast<double>(row) / static_cast<double>(rows));
  }
  outcome.differences = comparison.largest();
  outcome.first_difference = comparison.first();
  if (measured.first()) {
    outcome.notes.push_back(
        fmt::format("{} follows the times of the run, which differ from cycle {} on: contacts may",
                    measured.first()->column, measured.first()->cycle));
  }
  outcome.commands = commands.done();
  return outcome;
}

}  // namespace haptic
