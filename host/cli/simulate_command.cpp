#include "host/cli/simulate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/record/offline_run.h"

namespace haptic {

void add_simulate_command(CLI::App& app) {
  struct Options {
    std::filesystem::path scene, trajectory, log;
    double seconds = 0.0;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("simulate", "The daemon's world code, offline and deterministic");
  command->add_option("SCENE.toml", options->scene, "scene")->required();
  const CLI::Option* trajectory = command->add_option("--trajectory", options->trajectory,
                                                      "hand script (CSV) instead of the scene's");
  command->add_option("-o,--output", options->log, "log file")->required();
  const CLI::Option* seconds =
      command->add_option("--seconds", options->seconds, "hand time; without: to the script's end")
          ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options, trajectory, seconds] {
    OfflineSettings settings;
    if (trajectory->count() > 0) settings.trajectory = options->trajectory;
    if (seconds->count() > 0) settings.seconds = options->seconds;
    const OfflineOutcome outcome = run_offline(load_scene(options->scene), settings, options->log);
    if (options->json) {
      std::cout << nlohmann::json{{"log", options->log.string()},
                                  {"cycles", outcome.cycles},
                                  {"cycles_in_contact", outcome.cycles_in_contact},
                                  {"most_contacts", outcome.most_contacts},
                                  {"largest_force_N", outcome.largest_force_N}}
                       .dump()
                << "\n";
    } else {
      fmt::print("{}: {} cycles, {} in contact, at most {} contacts, largest force {:.3f} N\n",
                 options->log.string(), outcome.cycles, outcome.cycles_in_contact,
                 outcome.most_contacts, outcome.largest_force_N);
    }
  });
}

}  // namespace haptic
