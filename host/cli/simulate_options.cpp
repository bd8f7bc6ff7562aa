#include "host/cli/simulate_options.h"

#include <CLI/CLI.hpp>

#include "shared/command_line/number_checks.h"

namespace haptic {

SimulateCommand add_simulate_options(CLI::App& app,
                                     const std::shared_ptr<SimulateOptions>& options) {
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
      command
          ->add_option("--seconds", options->seconds,
                       "duration of the hand motion [s]; default: to the end of the script")
          ->check(seconds_above_0());
  CLI::Option* loads =
      command->add_option("--loads", options->loads, "load script (TOML) for a model")
          ->excludes(trajectory)
          ->excludes(seconds);
  command
      ->add_flag("--unreduced", options->unreduced,
                 "simulate the full mesh instead of the subspace")
      ->needs(loads);
  command
      ->add_option("--solver", options->solver, "direct, matrix-free, explicit, linear or static")
      ->check(CLI::IsMember({"direct", "matrix-free", "explicit", "linear", "static"}))
      ->needs(loads);
  command
      ->add_option("--material", options->material,
                   "unreduced: elements of stvk (default), corotational or neo-hookean material")
      ->check(CLI::IsMember({"stvk", "corotational", "neo-hookean"}))
      ->needs(loads);
  command
      ->add_option("--mass", options->mass,
                   "unreduced: consistent or lumped mass; default: that of the model")
      ->check(CLI::IsMember({"consistent", "lumped"}))
      ->needs(loads);
  CLI::Option* newton =
      command
          ->add_option("--newton", options->newton,
                       "Newton iterations a step of the direct, matrix-free or linear solver")
          ->check(CLI::Range(1, 1000))
          ->needs(loads);
  command
      ->add_option("--save-every", options->save_every,
                   "unreduced: save a snapshot of u every K steps, for a basis")
      ->check(CLI::PositiveNumber)
      ->needs(loads);
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return {command, trajectory, seconds, loads, newton};
}

}  // namespace haptic
