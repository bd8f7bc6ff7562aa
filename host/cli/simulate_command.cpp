#include "host/cli/simulate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/number_checks.h"
#include "host/files/output_path.h"
#include "host/offline/offline_run.h"
#include "host/unreduced/scripted_run.h"

namespace haptic {
namespace {

struct SimulateOptions {
  std::filesystem::path input, trajectory, loads, log;
  double seconds = 0.0;
  bool unreduced = false, json = false;
  std::string solver = "direct";
  int newton = 1, save_every = 0;
};

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

void simulate_loads(const SimulateOptions& options) {
  ScriptedRunSettings settings;
  settings.unreduced = options.unreduced;
  settings.solver = options.solver == "direct"        ? RunSolver::kDirect
                    : options.solver == "matrix-free" ? RunSolver::kMatrixFree
                    : options.solver == "explicit"    ? RunSolver::kExplicit
                    : options.solver == "static"      ? RunSolver::kStatic
                                                      : RunSolver::kLinear;
  settings.newton_iterations = options.newton;
  settings.save_every = options.save_every;
  check_output(options.log, std::array{options.input, options.loads});
  const LoadScript script = load_script(options.loads);
  const ScriptedRunOutcome outcome =
      run_script(ModelFile(options.input), script, settings, options.log);
  if (options.json) {
    nlohmann::json json{{"log", options.log.string()},
                        {"kind", options.unreduced ? "unreduced" : "reduced"},
                        {"solver", options.solver},
                        {"steps", outcome.steps},
                        {"snapshots", outcome.snapshots},
                        {"largest_probe_m", outcome.largest_probe_m},
                        {"final_energy_J", outcome.final_energy_J},
                        {"largest_residual", outcome.largest_residual},
                        {"unconverged_steps", outcome.unconverged_steps},
                        {"backtracks", outcome.backtracks},
                        {"cg_iterations", outcome.cg_iterations}};
    if (outcome.largest_step_s > 0.0) json["largest_stable_step_s"] = outcome.largest_step_s;
    std::cout << json.dump() << "\n";
    return;
  }
  fmt::print(
      "{}: {} {} steps of {} s ({}), largest probe displacement {:.4g} m, energy at the end "
      "{:.4g} J",
      options.log.string(), outcome.steps, options.unreduced ? "unreduced" : "reduced", script.dt,
      options.solver, outcome.largest_probe_m, outcome.final_energy_J);
  if (outcome.snapshots > 0) fmt::print(", {} snapshots", outcome.snapshots);
  if (outcome.largest_step_s > 0.0) fmt::print(", limit of dt {:.4g} s", outcome.largest_step_s);
  if (outcome.unconverged_steps > 0) {
    fmt::print(", {} steps NOT CONVERGED (largest residual {:.2g})", outcome.unconverged_steps,
               outcome.largest_residual);
  }
  fmt::print("\n");
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand(
      "simulate",
      "Offline and deterministic: the daemon's world code on a scene, or one baked model under a "
      "load script, reduced or unreduced");
  command->add_option("SCENE.toml|MODEL.h5", options->input, "scene, or model with --loads")
      ->required();
  CLI::Option* trajectory = command->add_option("--trajectory", options->trajectory,
                                                "hand script (CSV) instead of the scene's");
  command->add_option("-o,--output", options->log, "log file")->required();
  CLI::Option* seconds =
      command->add_option("--seconds", options->seconds, "hand time; without: to the script's end")
          ->check(seconds_above_0());
  CLI::Option* loads =
      command->add_option("--loads", options->loads, "load script (TOML) for a model")
          ->excludes(trajectory)
          ->excludes(seconds);
  command->add_flag("--unreduced", options->unreduced, "the full mesh instead of its subspace")
      ->needs(loads);
  command
      ->add_option("--solver", options->solver, "direct, matrix-free, explicit, linear or static")
      ->check(CLI::IsMember({"direct", "matrix-free", "explicit", "linear", "static"}))
      ->needs(loads);
  command->add_option("--newton", options->newton, "Newton iterations a step")
      ->check(CLI::Range(1, 1000))
      ->needs(loads);
  command
      ->add_option("--save-every", options->save_every,
                   "unreduced: save a snapshot of u every K steps, for a basis")
      ->check(CLI::PositiveNumber)
      ->needs(loads);
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options, trajectory, seconds, loads] {
    if (loads->count() > 0) {
      simulate_loads(*options);
    } else {
      simulate_scene(*options, trajectory->count() > 0, seconds->count() > 0);
    }
  });
}

}  // namespace haptic
