#include "host/offline/replay.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/offline/log_replay.h"

namespace haptic {
namespace {

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

ReplayOutcome replay_log(const LogReader& log, const std::function<void(double)>& progress) {
  LogReplay replay(log);
  ReplayOutcome outcome;
  outcome.notes = replay.notes();
  const World& world = replay.at_servo();
  ReplayComparison comparison(log);
  for (const char* name :
       {"/samples/held_position_m", "/samples/held_orientation_wxyz", "/samples/wanted_force_N",
        "/samples/wanted_torque_Nm", "/samples/contact_force_N", "/samples/contact_torque_Nm"}) {
    comparison.add_column(name);
  }
  const StateLayout& layout = world.state_layout();
  ReplayComparison measured(log);   // of what follows the times of the run
  std::vector<std::string> blocks;  // columns, in the order of the layout; empty: not in the log
  for (const StateBlock& block : layout.blocks()) {
    const std::string column = "/state/" + block.name;
    const bool has_rows = block.rate == StateRate::kCycle && block.size() > 0;
    const bool logged = has_rows && log.has(column);
    if (has_rows && !logged) {
      outcome.notes.push_back(
          fmt::format("{} is not compared: an earlier version recorded this log", block.name));
    }
    blocks.push_back(logged ? column : "");
    if (logged) (block.measured ? measured : comparison).add_column(blocks.back());
  }

  const std::vector<double> cycle = log.column("/samples/cycle");
  while (replay.row() < replay.rows()) {
    const std::uint64_t row = replay.row();
    const auto now = static_cast<std::uint64_t>(cycle[row]);
    const WorldOutput& output = replay.step();
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
          .add(blocks[block], row, now, world.state(block));
    }
    ++outcome.cycles;
    if (progress) progress(static_cast<double>(row) / static_cast<double>(replay.rows()));
  }
  outcome.differences = comparison.largest();
  outcome.first_difference = comparison.first();
  if (measured.first()) {
    outcome.notes.push_back(
        fmt::format("{} follows the times of the run, which differ from cycle {} on: contacts may",
                    measured.first()->column, measured.first()->cycle));
  }
  outcome.commands = replay.commands();
  return outcome;
}

}  // namespace haptic
