#include "host/offline/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
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

/// Columns of the log that are compared with what the world computes again.
class Comparison {
 public:
  Comparison(const LogReader& log, std::initializer_list<const char*> names) {
    for (const char* name : names) add_column(log, name);
  }
  void add_column(const LogReader& log, const std::string& name) {
    columns_[name] = {log.column(name), log.width(name), 0.0};
  }

  template <typename Values>
  void add(const std::string& name, std::uint64_t row, const Values& values) {
    Column& column = columns_.at(name);
    for (std::size_t i = 0; i < column.width; ++i) {
      const double difference = std::abs(values[i] - column.values[row * column.width + i]);
      if (!(difference <= column.largest)) column.largest = difference;
    }
  }

  std::map<std::string, double> largest() const {
    std::map<std::string, double> result;
    for (const auto& [name, column] : columns_) result[name] = column.largest;
    return result;
  }

 private:
  struct Column {
    std::vector<double> values;
    std::size_t width = 1;
    double largest = 0.0;
  };
  std::map<std::string, Column> columns_;
};

/// Commands of operators to the world, with the cycles that executed them.
class ReplayedCommands {
 public:
  ReplayedCommands(std::vector<EventRecord> events, World& world)
      : events_(std::move(events)), world_(world) {}

  /// Call before the step of `cycle`. @throws OperationError if the world refuses a logged command
  void apply(std::uint64_t cycle) {
    for (; next_ < events_.size(); ++next_) {
      const EventRecord& event = events_[next_];
      if (event.kind != EventKind::kCommand || event.executed == 0 ||
          event.answer != CommandAnswer::kApplied) {
        continue;
      }
      if (event.cycle > cycle) return;
      if (event.command == CommandKind::kReset) world_.reset();
      if (event.command == CommandKind::kSet) set(event);
      if (event.command == CommandKind::kPull) pull(event);
    }
  }

 private:
  void set(const EventRecord& event) {
    const auto parameters = world_.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name != event.key) continue;
      if (world_.set_parameter(i, event.value)) return;
      throw OperationError(fmt::format("set {} {:g} of cycle {} is refused now", event.key,
                                       event.value, event.cycle));
    }
    // The other parameters belong to the servo: they change the output, not what the world
    // computes.
  }

  void pull(const EventRecord& event) {
    Pull pull;
    std::string why;
    if (event.key[0] != '\0') {
      pull = pull_of(event.pull);
      why = world_.prepare_pull(event.key, pull);
    }
    if (why.empty() && world_.pull(pull)) return;
    throw OperationError(
        fmt::format("pull {} of cycle {} is refused now: {}", event.key, event.cycle, why));
  }

  std::vector<EventRecord> events_;
  World& world_;
  std::size_t next_ = 0;
};

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
  const Scene scene = load_scene(log.description().scene_path);
  const SceneWorld scene_world =
      make_scene_world(scene, nullptr, TwoRateWorld::Threading::kTogether);
  World* const world = &scene_world.at_servo();
  check_models(log, *world, path);
  check_state(log, *world, path);

  const std::vector<double> cycle = log.column("/samples/cycle");
  if (cycle.empty() || cycle.front() != 0.0) {
    throw InputError(path.string(), "/samples/cycle",
                     cycle.empty() ? "no rows" : fmt::format("begins with {:.0f}", cycle.front()),
                     "a log from cycle 0 on (haptic record --from-oldest)");
  }
  const std::vector<double> p = log.column("/samples/device_position_m");
  const std::vector<double> q = log.column("/samples/device_orientation_wxyz");
  const std::vector<double> v = log.column("/samples/device_velocity_m_s");
  const std::vector<double> w = log.column("/samples/device_angular_velocity_rad_s");
  const std::vector<double> buttons = log.column("/samples/buttons");
  Comparison comparison(
      log, {"/samples/held_position_m", "/samples/held_orientation_wxyz", "/samples/wanted_force_N",
            "/samples/wanted_torque_Nm", "/samples/contact_force_N", "/samples/contact_torque_Nm"});
  const StateLayout& layout = world->state_layout();
  std::vector<std::string> blocks;  // columns, in the order of the layout; empty: not compared
  for (const StateBlock& block : layout.blocks()) {
    const bool compared = block.rate == StateRate::kCycle && block.size() > 0 && !block.measured;
    blocks.push_back(compared ? "/state/" + block.name : "");
    if (compared) comparison.add_column(log, blocks.back());
  }

  ReplayedCommands commands(log.events(), *world);
  ReplayOutcome outcome;
  const FlushDenormals flushed;  // as the cycle does
  for (std::uint64_t row = 0; row < log.rows(); ++row) {
    if (cycle[row] != static_cast<double>(row)) break;
    DeviceState hand;
    hand.pose.position = Vector3(p[3 * row], p[3 * row + 1], p[3 * row + 2]);
    hand.pose.orientation = Quaternion(q[4 * row], q[4 * row + 1], q[4 * row + 2], q[4 * row + 3]);
    hand.twist.linear = Vector3(v[3 * row], v[3 * row + 1], v[3 * row + 2]);
    hand.twist.angular = Vector3(w[3 * row], w[3 * row + 1], w[3 * row + 2]);
    hand.buttons = static_cast<std::uint32_t>(buttons[row]);
    commands.apply(row);
    WorldOutput output;
    if (world->step(hand, output) != WorldStatus::kOk) {
      throw OperationError(fmt::format("{}: the world failed in cycle {}", path.string(), row));
    }
    comparison.add("/samples/held_position_m", row, output.held_pose.position);
    comparison.add("/samples/held_orientation_wxyz", row, wxyz(output.held_pose.orientation));
    comparison.add("/samples/wanted_force_N", row, output.device_wrench.force);
    comparison.add("/samples/wanted_torque_Nm", row, output.device_wrench.torque);
    comparison.add("/samples/contact_force_N", row, output.contact_wrench.force);
    comparison.add("/samples/contact_torque_Nm", row, output.contact_wrench.torque);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      if (!blocks[block].empty()) comparison.add(blocks[block], row, world->state(block));
    }
    ++outcome.cycles;
    if (progress) progress(static_cast<double>(row) / static_cast<double>(log.rows()));
  }
  outcome.differences = comparison.largest();
  return outcome;
}

}  // namespace haptic
