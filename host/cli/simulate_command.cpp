#include "host/cli/simulate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "host/cli/helper_commands.h"
#include "host/cli/simulate_options.h"
#include "host/files/output_path.h"
#include "host/offline/offline_run.h"

namespace haptic {
namespace {

void simulate_scene(const SimulateOptions& options, bool has_trajectory, bool has_seconds) {
  OfflineSettings settings;
  if (has_trajectory) settings.trajectory = options.trajectory;
  if (has_seconds) settings.seconds = options.seconds;
  const Scene scene = load_scene(options.input);
  std::vector<std::filesystem::path> inputs = {options.input, options.trajectory};
  for (const SceneBody& body : scene.bodies) {
    if (const auto* const path = std::get_if<std::filesystem::path>(&body.model)) {
      inputs.push_back(*path);
    }
  }
  check_output(options.log, inputs);
  const OfflineOutcome outcome = run_offline(scene, settings, options.log);
  if (options.json) {
    std::cout << nlohmann::json{{"log", options.log.string()},
                                {"cycles", outcome.cycles},
                                {"cycles_in_contact", outcome.cycles_in_contact},
                                {"most_contacts", outcome.most_contacts},
                                {"largest_force_N", outcome.largest_force_N}}
                     .dump()
              << "\n";
  } else {
    fmt::print("{}: {} cycles, {} in contact, at most {} contacts, largest force {:.3f} N\n",
               options.log.string(), outcome.cycles, outcome.cycles_in_contact,
               outcome.most_contacts, outcome.largest_force_N);
  }
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  const auto options = std::make_shared<SimulateOptions>();
  const SimulateCommand simulate = add_simulate_options(app, options);
  simulate.command->callback([options, simulate] {
    if (simulate.loads->count() > 0) throw HelperNeeded("simulate --loads");
    simulate_scene(*options, simulate.trajectory->count() > 0, simulate.seconds->count() > 0);
  });
}

}  // namespace haptic
