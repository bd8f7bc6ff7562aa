#include "host/cli/sketch_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "host/bake/body_mesh.h"
#include "host/cli/helper_commands.h"
#include "host/files/json_text.h"
#include "host/files/output_path.h"
#include "host/offline/sketch_recording.h"
#include "host/reduction/linear_modes.h"
#include "host/unreduced/baked_body.h"
#include "host/unreduced/mesh_place.h"
#include "shared/command_line/number_checks.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

std::atomic<bool> stop_sketching{false};

/// Of the time of a scripted sketch: reading the body, and until its stiffness is factorised.
constexpr double kLoadShare = 0.3, kPrepareShare = 0.95;

struct SketchOptions {
  std::filesystem::path body, trajectory, output;
  std::vector<double> grab;
  std::string name = "hapticd";
  double stiffness = 0.0, seconds = 0.0;
  SketchRecording recording;
  bool live = false, json = false;
};

/// The unreduced body of a model file, or of a recipe that has not been baked.
StvkModel load_body(const std::filesystem::path& path) {
  if (path.extension() != ".toml") return read_baked_body(ModelFile(path));
  const Recipe recipe = load_recipe(path);
  if (!recipe.reduction) {
    throw InputError(path.string(), "reduction", "missing", "the recipe of a deformable body");
  }
  StageProgress quiet(nullptr);
  const Ranks alone;
  const Stages stages(quiet, alone, nullptr);
  return make_unreduced_body(recipe, load_source(recipe, stages), stages);
}

void sketch(const SketchOptions& options, bool has_script, std::optional<double> stiffness,
            std::optional<double> seconds) {
  if (has_script == options.live) {
    throw InputError("sketch", "",
                     has_script ? "found both --trajectory and --live" : "found no hand",
                     "either --trajectory HAND.csv or --live");
  }
  std::vector<std::filesystem::path> inputs = {options.body, options.trajectory};
  if (options.body.extension() == ".toml") {
    const auto files = recipe_files(load_recipe(options.body));
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  check_output(options.output, inputs);
  const auto what = "sketch " + options.body.string();
  std::optional<ProgressLine> line(std::in_place, options.json ? nullptr : stderr, what);
  const StvkModel body = load_body(options.body);
  line->show(kLoadShare);
  const SparseFactorization rest = factor_rest_stiffness(body);
  line->show(kPrepareShare);
  const std::uint32_t vertex =
      nearest_vertex(body.mesh().vertices(), {options.grab[0], options.grab[1], options.grab[2]});
  const PulledBody pulled(body, rest, vertex, stiffness);
  std::vector<ForceSample> samples;
  if (has_script) {
    samples =
        sketch_of_script(pulled, vertex, HandScript::load(options.trajectory), options.recording);
    line->show(1.0);
    line.reset();
  } else {
    std::signal(SIGINT, [](int) { stop_sketching = true; });
    std::signal(SIGTERM, [](int) { stop_sketching = true; });
    line.reset();  // the time left is that of the hand from here on
    ProgressLine recording(options.json ? nullptr : stderr, "sketch " + options.name);
    samples = sketch_of_daemon(pulled, vertex, options.name, seconds, options.recording,
                               stop_sketching, recording.progress());
  }
  double force = 0.0, moved = 0.0;
  for (const ForceSample& sample : samples) {
    force = std::max(force, sample.forces[0].force.norm());
    moved = std::max(moved, pulled.displacement(sample.forces[0].force).norm());
  }
  if (!(force > 0.0)) {
    throw InputError(has_script ? options.trajectory.string() : options.name, "",
                     "the hand did not move", "a hand motion that displaces the vertex");
  }
  write_force_samples(options.output, samples);
  if (options.json) {
    std::cout << json_text({{"forces", options.output.string()},
                            {"samples", samples.size()},
                            {"vertex", vertex},
                            {"spring_N_m", pulled.stiffness()},
                            {"largest_force_N", force},
                            {"largest_displacement_m", moved}})
              << "\n";
  } else {
    fmt::print(
        "{}: {} samples on vertex {}, spring {:.4g} N/m, largest force {:.4g} N, largest "
        "(linear) displacement {:.4g} m\n",
        printable(options.output.string()), samples.size(), vertex, pulled.stiffness(), force,
        moved);
  }
}

}  // namespace

void add_sketch_command(CLI::App& app) {
  const auto options = std::make_shared<SketchOptions>();
  CLI::App* command = add_helper_command(app, "sketch");
  command
      ->add_option("MODEL.h5|RECIPE.toml", options->body,
                   "anchored deformable body: a baked model or a recipe")
      ->required();
  const CLI::Option* script =
      command->add_option("--trajectory", options->trajectory, "hand script (CSV)");
  command->add_flag("--live", options->live, "record the hand of a running daemon");
  command->add_option("--name", options->name, "name of the daemon");
  command->add_option("--grab", options->grab, "grabbed point x,y,z [m]: the vertex nearest to it")
      ->required()
      ->delimiter(',')
      ->check(number_in(-1e6, 1e6))
      ->expected(3);
  command->add_option("-o,--output", options->output, "force loads (CSV)")->required();
  const CLI::Option* stiffness = command->add_option(
      "--stiffness", options->stiffness,
      "stiffness of the spring to the hand [N/m]; default: 10 x that of the vertex");
  const CLI::Option* seconds =
      command
          ->add_option("--seconds", options->seconds, "--live: duration [s]; default: until Ctrl-C")
          ->check(seconds_above_0());
  command->add_option("--rate", options->recording.rate_hz, "samples a second")
      ->check(number_in(1e-3, 1e4));
  command->add_option("--scale", options->recording.scale, "m of the body per m of the hand")
      ->check(number_in(1e-6, 1e6));
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options, script, stiffness, seconds] {
    sketch(*options, script->count() > 0,
           stiffness->count() > 0 ? std::optional(options->stiffness) : std::nullopt,
           seconds->count() > 0 ? std::optional(options->seconds) : std::nullopt);
  });
}

}  // namespace haptic
