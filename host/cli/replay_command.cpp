#include "host/cli/replay_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/log_warnings.h"
#include "host/files/json_text.h"
#include "host/offline/replay.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

constexpr double kAgreement = 1e-12;  // of any number; the same binary agrees bit for bit

nlohmann::json json_of(const ReplayOutcome& outcome, const std::filesystem::path& log,
                       const std::vector<std::string>& warnings) {
  nlohmann::json commands = nlohmann::json::array(), first;
  for (const ReplayedCommand& command : outcome.commands) {
    commands.push_back(
        {{"cycle", command.cycle}, {"text", command.text}, {"of_world", command.of_world}});
  }
  if (outcome.first_difference) {
    first = {{"cycle", outcome.first_difference->cycle},
             {"column", outcome.first_difference->column}};
  }
  return {{"log", log.string()},
          {"cycles", outcome.cycles},
          {"largest_difference", outcome.largest()},
          {"differences", outcome.differences},
          {"first_difference", first},
          {"commands", commands},
          {"notes", outcome.notes},
          {"warnings", warnings}};
}

void print(const ReplayOutcome& outcome) {
  for (const ReplayedCommand& command : outcome.commands) {
    fmt::print("cycle {:<8} {}{}\n", command.cycle, printable(command.text),
               command.of_world ? "" : " (the world does not depend on it)");
  }
  for (const auto& [column, difference] : outcome.differences) {
    fmt::print("{:<36} {:.3e}\n", printable(column), difference);
  }
  if (outcome.first_difference) {
    fmt::print("first difference: cycle {}, {}\n", outcome.first_difference->cycle,
               printable(outcome.first_difference->column));
  }
  for (const std::string& note : outcome.notes) fmt::print("{}\n", printable(note));
  fmt::print("{} cycles, largest difference {:.3e}, limit {:.0e}\n", outcome.cycles,
             outcome.largest(), kAgreement);
}

}  // namespace

void add_replay_command(CLI::App& app) {
  struct Options {
    std::filesystem::path log;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "replay", "Replay a log's hand motion in its scene and compare every cycle");
  command->add_option("LOG.h5", options->log, "log from cycle 0 on")->required();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] {
    const LogReader log(options->log);
    const std::vector<std::string> warnings = warn_of_missing_data(log);
    const ReplayOutcome outcome = [&] {
      ProgressLine line(options->json ? nullptr : stderr, "replay " + options->log.string());
      return replay_log(log, line.progress());
    }();
    if (options->json) {
      std::cout << json_text(json_of(outcome, options->log, warnings)) << "\n";
    } else {
      print(outcome);
    }
    if (!(outcome.largest() <= kAgreement)) {
      throw OperationError(
          fmt::format("{}: the replay does not agree with the log", options->log.string()));
    }
  });
}

}  // namespace haptic
