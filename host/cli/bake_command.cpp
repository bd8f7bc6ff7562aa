#include "host/cli/bake_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/artifact/body_lines.h"
#include "host/artifact/model_attributes.h"
#include "host/bake/bake.h"
#include "host/bake/stage_archive.h"
#include "host/cli/helper_commands.h"
#include "host/files/json_text.h"
#include "host/mpi/mpi_ranks.h"
#include "rt/geometry/field_resolution.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

nlohmann::json to_json(const BakeSummary& summary, const StageProgress& progress) {
  nlohmann::json seconds = nlohmann::json::object(), peaks = seconds;
  nlohmann::json kept = nlohmann::json::array();
  for (const StageCost& cost : progress.costs()) {
    seconds[cost.name] = cost.seconds;
    peaks[cost.name] = cost.peak_bytes;
    if (cost.kept) kept.push_back(cost.name);
  }
  return {{"model", summary.model.string()},
          {"file_length_bytes", summary.file_length},
          {"surface_vertices", summary.surface_vertices},
          {"surface_triangles", summary.surface_triangles},
          {"mesh_vertices", summary.mesh_vertices},
          {"mesh_elements", summary.mesh_elements},
          {"fixed_vertices", summary.fixed_vertices},
          {"dimension", summary.dimension},
          {"condensed_dof", summary.condensed_dof},
          {"condensed_modes", summary.condensed_modes},
          {"compliance_rounding", summary.compliance_rounding},
          {"contact_force_rounding", summary.contact_force_rounding},
          {"springs", summary.springs},
          {"shell_points", summary.shell_points},
          {"tree_nodes", summary.tree_nodes},
          {"field_resolution", summary.field_resolution},
          {"mass_kg", summary.mass},
          {"unresolved_fraction", summary.unresolved_fraction},
          {"seconds", seconds},
          {"peak_bytes", peaks},
          {"kept", kept},
          {"notes", progress.notes()}};
}

void print_summary(const BakeSummary& summary, const StageProgress& progress) {
  double total = 0.0;
  for (const StageCost& cost : progress.costs()) total += cost.kept ? 0.0 : cost.seconds;
  fmt::print("{}  {:.1f} MB in {:.1f} s\n", printable(summary.model.string()),
             1e-6 * static_cast<double>(summary.file_length), total);
  fmt::print("  surface  {} vertices, {} triangles, {:.4g} kg\n", summary.surface_vertices,
             summary.surface_triangles, summary.mass);
  if (summary.mesh_vertices > 0) {
    fmt::print("  mesh     {} vertices, {} elements, {} fixed\n", summary.mesh_vertices,
               summary.mesh_elements, summary.fixed_vertices);
  }
  if (summary.dimension > 0) fmt::print("  reduced  r = {}\n", summary.dimension);
  if (summary.condensed_dof > 0) {
    fmt::print("  condensed  {} degrees of freedom, {} modes", summary.condensed_dof,
               summary.condensed_modes);
    if (summary.compliance_rounding > 0.0) {
      fmt::print(", single precision: compliance to {:.1e}, force of one contact to {:.1e}",
                 summary.compliance_rounding, summary.contact_force_rounding);
    }
    fmt::print("\n");
  }
  if (summary.springs > 0) fmt::print("  cloth    {} springs\n", summary.springs);
  if (summary.shell_points > 0) {
    fmt::print("  shell    {} points, {} tree nodes\n", summary.shell_points, summary.tree_nodes);
  }
  if (summary.field_resolution > 0) fmt::print("  field    {}^3\n", summary.field_resolution);
  for (const std::string& line : body_lines(read_model_attributes(summary.model))) {
    fmt::print("  {}\n", line);
  }
  if (summary.unresolved_fraction > kMaxUnresolvedFraction) {
    fmt::print(
        "  warning: {:.0f} % of the surface bounds parts thinner than the voxel of the field, "
        "{:.2g} mm, which other bodies pass through; use a larger [field] resolution, or "
        "[shell] offset = true\n",
        100.0 * summary.unresolved_fraction, 1e3 * summary.voxel);
  }
}

struct BakeArguments {
  std::filesystem::path recipe, model, cache;
  bool json = false, no_cache = false;
};

std::filesystem::path cache_folder(const BakeArguments& options) {
  if (options.no_cache) return {};
  if (!options.cache.empty()) return options.cache;
  std::filesystem::path folder = options.model;
  if (folder.extension() == ".bake") return folder += ".bake";
  return folder.replace_extension(".bake");
}

/// Rank 0 reads the recipe; the others get its text.
Recipe load_recipe_once(const std::filesystem::path& path, const Ranks& ranks) {
  if (ranks.size() == 1) return load_recipe(path);
  std::string text;
  std::optional<Recipe> recipe;
  if (ranks.first()) {
    recipe = load_recipe(path);
    text = recipe->text;
  }
  Ranks::Bytes bytes = encode_stage(text);
  ranks.broadcast(bytes);
  return recipe ? std::move(*recipe) : parse_recipe(decode_stage<std::string>(bytes), path);
}

void bake_with(const BakeArguments& options, const Ranks& ranks) {
  // Progress bars go to a terminal only. Without one the lines of the stages go to standard output,
  // and standard error has nothing but an error message. The terminal that mpirun gives its ranks
  // does not count.
  const bool terminal = ranks.size() == 1 && isatty(fileno(stderr)) == 1;
  std::FILE* out = terminal ? stderr : options.json ? nullptr : stdout;
  StageProgress progress(ranks.first() ? out : nullptr, terminal);
  // The default folder may be taken over from another recipe; a folder that the user named may not.
  const auto owner =
      options.cache.empty() ? StageCache::Owner::kAnyRecipe : StageCache::Owner::kThisRecipe;
  const BakeSummary summary =
      bake(load_recipe_once(options.recipe, ranks), options.model, progress,
           {.cache = cache_folder(options), .cache_owner = owner, .ranks = &ranks});
  if (!ranks.first()) return;
  if (options.json) {
    std::cout << json_text(to_json(summary, progress)) << "\n";
  } else {
    print_summary(summary, progress);
  }
}

void bake_on_all_ranks(const BakeArguments& options) {
  if (launched_ranks() == 1) return bake_with(options, Ranks());
  const std::unique_ptr<Ranks> ranks = start_mpi_ranks();
  // A rank that exits alone would leave the others waiting for ever.
  try {
    bake_with(options, *ranks);
    std::cout.flush();
  } catch (const std::exception& error) {
    const int code = dynamic_cast<const InputError*>(&error) ? kExitBadInput : kExitFailed;
    const std::string who = ranks->first() ? "" : fmt::format("rank {}: ", ranks->rank());
    fmt::print(stderr, "haptic: {}{}\n", who, printable(error.what()));
    std::fflush(stderr);
    abort_mpi_ranks(code);
  }
}

}  // namespace

void add_bake_command(CLI::App& app) {
  const auto options = std::make_shared<BakeArguments>();
  CLI::App* command = add_helper_command(app, "bake");
  command->add_option("RECIPE.toml", options->recipe, "recipe file")->required();
  command->add_option("-o,--output", options->model, "model file to write")->required();
  command->add_option("--cache", options->cache,
                      "folder for the results of stages (default: MODEL.bake)");
  command->add_flag("--no-cache", options->no_cache, "neither store nor reuse results of stages")
      ->excludes("--cache");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] { bake_on_all_ranks(*options); });
}

}  // namespace haptic
