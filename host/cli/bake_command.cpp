#include "host/cli/bake_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/bake/bake.h"

namespace haptic {
namespace {

nlohmann::json to_json(const BakeSummary& summary, const StageProgress& progress) {
  nlohmann::json seconds = nlohmann::json::object();
  for (const auto& [stage, s] : progress.seconds()) seconds[stage] = s;
  return {{"model", summary.model.string()},
          {"file_length_bytes", summary.file_length},
          {"surface_vertices", summary.surface_vertices},
          {"surface_triangles", summary.surface_triangles},
          {"mesh_vertices", summary.mesh_vertices},
          {"mesh_elements", summary.mesh_elements},
          {"fixed_vertices", summary.fixed_vertices},
          {"dimension", summary.dimension},
          {"shell_points", summary.shell_points},
          {"tree_nodes", summary.tree_nodes},
          {"field_resolution", summary.field_resolution},
          {"mass_kg", summary.mass},
          {"seconds", seconds},
          {"notes", progress.notes()}};
}

void print_summary(const BakeSummary& summary, const StageProgress& progress) {
  double total = 0.0;
  for (const auto& [stage, seconds] : progress.seconds()) total += seconds;
  fmt::print("{}  {:.1f} MB in {:.1f} s\n", summary.model.string(),
             1e-6 * static_cast<double>(summary.file_length), total);
  fmt::print("  surface  {} vertices, {} triangles, {:.4g} kg\n", summary.surface_vertices,
             summary.surface_triangles, summary.mass);
  if (summary.dimension > 0) {
    fmt::print("  mesh     {} vertices, {} elements, {} fixed\n", summary.mesh_vertices,
               summary.mesh_elements, summary.fixed_vertices);
    fmt::print("  reduced  r = {}\n", summary.dimension);
  }
  if (summary.shell_points > 0) {
    fmt::print("  shell    {} points, {} tree nodes\n", summary.shell_points, summary.tree_nodes);
  }
  if (summary.field_resolution > 0) fmt::print("  field    {}^3\n", summary.field_resolution);
}

}  // namespace

void add_bake_command(CLI::App& app) {
  struct Options {
    std::filesystem::path recipe, model;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bake", "Make a model file from a mesh and a recipe");
  command->add_option("RECIPE.toml", options->recipe, "recipe file")->required();
  command->add_option("-o,--output", options->model, "model file to write")->required();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] {
    // A terminal gets the bars; otherwise the stages belong to the output, and standard error stays
    // free for the one line of a refusal.
    std::FILE* quiet = options->json ? nullptr : stdout;
    StageProgress progress(isatty(fileno(stderr)) == 1 ? stderr : quiet);
    const BakeSummary summary = bake(load_recipe(options->recipe), options->model, progress);
    if (options->json) {
      std::cout << to_json(summary, progress).dump() << "\n";
    } else {
      print_summary(summary, progress);
    }
  });
}

}  // namespace haptic
