#include "host/cli/simulate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/helper_commands.h"
#include "host/cli/simulate_options.h"
#include "host/files/json_text.h"
#include "host/files/output_path.h"
#include "host/files/warning_json.h"
#include "host/offline/offline_run.h"
#include "shared/artifact/user_block.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"
#include "shared/printable.h"

namespace haptic {
namespace {

void print_json(const OfflineOutcome& outcome, const std::filesystem::path& log) {
  nlohmann::json state = nlohmann::json::object();
  for (const NumberOverRun& number : outcome.numbers) {
    state[number.block.name] = {{"largest", number.largest},
                                {"nonzero_cycles", number.nonzero_cycles}};
  }
  std::cout << json_text({{"log", log.string()},
                          {"cycles", outcome.cycles},
                          {"largest_force_N", outcome.largest_force_N},
                          {"world_state", state},
                          {"warnings", outcome.warnings},
                          {"physical_warnings", warnings_json(outcome.physical_warnings)}})
            << "\n";
}

/// A line for the run, and one for every number of the world's state that was not always zero.
void print_text(const OfflineOutcome& outcome, const std::filesystem::path& log) {
  fmt::print("{}: {} cycles, largest force {:.3f} N\n", printable(log.string()), outcome.cycles,
             outcome.largest_force_N);
  for (const auto& [block, largest, nonzero_cycles] : outcome.numbers) {
    if (nonzero_cycles == 0) continue;
    fmt::print("{}: at most {:.6g}{}, not zero in {} cycles\n", printable(block.name), largest,
               block.unit_suffix(), nonzero_cycles);
  }
}

void print_warning(const std::filesystem::path& scene, const std::string& text) {
  fmt::print(stderr, "haptic: warning: {}: {}\n", printable(scene.string()), printable(text));
}

void print_warnings(const std::filesystem::path& scene, std::span<const WarningFinding> findings) {
  for (const WarningFinding& finding : findings) print_warning(scene, finding.text());
}

/// Whether the file begins as a model does: the user block's magic or HDF5's own.
bool is_model_file(const std::filesystem::path& path) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n";
  const std::string first = first_bytes(path, kModelMagic.size());
  return first == std::string_view(kModelMagic.data(), kModelMagic.size()) ||
         first.starts_with(kHdf5);
}

void simulate_scene(const SimulateOptions& options, bool has_trajectory, bool has_seconds) {
  OfflineSettings settings;
  if (has_trajectory) settings.trajectory = options.trajectory;
  if (has_seconds) settings.seconds = options.seconds;
  if (is_model_file(options.input)) {
    throw InputError(options.input.string(), "", "found a model",
                     "a scene (TOML), which names models; or --loads LOADS.toml");
  }
  const Scene scene = load_scene(options.input);
  std::vector<std::filesystem::path> inputs = {options.input, options.trajectory};
  for (const SceneBody& body : scene.bodies) {
    if (const auto* const path = std::get_if<std::filesystem::path>(&body.model)) {
      inputs.push_back(*path);
    }
  }
  check_output(options.log, inputs);
  const OfflineOutcome outcome = [&] {
    try {
      ProgressLine line(options.json ? nullptr : stderr, "simulate " + options.input.string());
      return run_offline(scene, settings, options.log, line.progress());
    } catch (const FaultedRun& fault) {  // they may tell why
      print_warnings(options.input, fault.physical_warnings);
      throw;
    }
  }();
  for (const std::string& warning : outcome.warnings) print_warning(options.input, warning);
  print_warnings(options.input, outcome.physical_warnings);
  if (options.json) {
    print_json(outcome, options.log);
  } else {
    print_text(outcome, options.log);
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
