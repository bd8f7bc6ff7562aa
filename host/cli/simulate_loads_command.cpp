#include "host/cli/simulate_loads_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/simulate_options.h"
#include "host/files/json_text.h"
#include "host/files/output_path.h"
#include "host/unreduced/scripted_run.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

/// Central differences solve no system, and the static solver iterates until it has converged.
void refuse_newton(const std::string& solver) {
  if (solver != "explicit" && solver != "static") return;
  throw InputError("--newton", "", fmt::format("found with --solver {}", solver),
                   "--solver direct, matrix-free or linear");
}

void simulate_loads(const SimulateOptions& options, bool has_newton) {
  if (has_newton) refuse_newton(options.solver);
  ScriptedRunSettings settings;
  settings.unreduced = options.unreduced;
  settings.solver = options.solver == "direct"        ? RunSolver::kDirect
                    : options.solver == "matrix-free" ? RunSolver::kMatrixFree
                    : options.solver == "explicit"    ? RunSolver::kExplicit
                    : options.solver == "static"      ? RunSolver::kStatic
                                                      : RunSolver::kLinear;
  settings.elastic = options.material == "corotational"  ? ElasticModel::kCorotational
                     : options.material == "neo-hookean" ? ElasticModel::kNeoHookean
                                                         : ElasticModel::kStvk;
  if (!options.mass.empty()) {
    settings.mass = options.mass == "lumped" ? MassKind::kLumped : MassKind::kConsistent;
  }
  settings.newton_iterations = options.newton;
  settings.save_every = options.save_every;
  check_output(options.log, std::array{options.input, options.loads});
  const LoadScript script = load_script(options.loads);
  const ScriptedRunOutcome outcome = [&] {
    ProgressLine line(options.json ? nullptr : stderr, "simulate " + options.input.string());
    settings.progress = line.progress();
    return run_script(ModelFile(options.input), script, settings, options.log);
  }();
  if (options.json) {
    nlohmann::json json{{"log", options.log.string()},
                        {"kind", options.unreduced ? "unreduced" : "reduced"},
                        {"solver", options.solver},
                        {"material", options.material},
                        {"steps", outcome.steps},
                        {"snapshots", outcome.snapshots},
                        {"largest_probe_m", outcome.largest_probe_m},
                        {"final_energy_J", outcome.final_energy_J},
                        {"largest_residual", outcome.largest_residual},
                        {"unconverged_steps", outcome.unconverged_steps},
                        {"backtracks", outcome.backtracks},
                        {"cg_iterations", outcome.cg_iterations}};
    if (outcome.largest_step_s > 0.0) json["largest_stable_step_s"] = outcome.largest_step_s;
    std::cout << json_text(json) << "\n";
    return;
  }
  fmt::print(
      "{}: {} {} steps of {} s ({}, {}), largest probe displacement {:.4g} m, energy at the end "
      "{:.4g} J",
      printable(options.log.string()), outcome.steps, options.unreduced ? "unreduced" : "reduced",
      script.dt, options.solver, options.material, outcome.largest_probe_m, outcome.final_energy_J);
  if (outcome.snapshots > 0) fmt::print(", {} snapshots", outcome.snapshots);
  if (outcome.largest_step_s > 0.0) fmt::print(", limit of dt {:.4g} s", outcome.largest_step_s);
  if (outcome.unconverged_steps > 0) {
    fmt::print(", {} steps NOT CONVERGED (largest residual {:.2g})", outcome.unconverged_steps,
               outcome.largest_residual);
  }
  fmt::print("\n");
}

}  // namespace

void add_simulate_loads_command(CLI::App& app) {
  const auto options = std::make_shared<SimulateOptions>();
  const SimulateCommand simulate = add_simulate_options(app, options);
  simulate.loads->required();
  simulate.command->callback(
      [options, simulate] { simulate_loads(*options, simulate.newton->count() > 0); });
}

}  // namespace haptic
