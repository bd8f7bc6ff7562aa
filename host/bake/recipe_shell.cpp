#include "host/bake/recipe_shell.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <span>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::int64_t kMostPoints = 4'000'000;

std::uint32_t positive_integer(const TomlTable& table, std::string_view key, std::int64_t most) {
  return static_cast<std::uint32_t>(table.integer(key, 1, most, 0));
}

ShellMethod read_method(const TomlTable& table) {
  constexpr ShellMethod kMethods[] = {ShellMethod::kFarthestPoint, ShellMethod::kRepulsion,
                                      ShellMethod::kRandom,        ShellMethod::kVertices,
                                      ShellMethod::kVoxels,        ShellMethod::kDepth};
  const std::string word = table.choice(
      "method", {"farthest-point", "repulsion", "random", "vertices", "voxels", "depth"},
      "farthest-point");
  for (const ShellMethod method : kMethods) {
    if (name_of(method) == word) return method;
  }
  return ShellMethod::kFarthestPoint;
}

/// Keys that say how many points there are, each with the methods that take it.
void read_counts(const TomlTable& table, PointShellSettings& shell) {
  const bool repulsion = shell.method == ShellMethod::kRepulsion;
  const bool rays_or_voxels =
      shell.method == ShellMethod::kVoxels || shell.method == ShellMethod::kDepth;
  shell.levels = positive_integer(table, "levels", 12);
  shell.first_level = positive_integer(table, "first_level", kMostPoints);
  const bool both = shell.levels > 0 && shell.first_level > 0;

  if (counts_itself(shell.method)) {
    if (table.has("points")) {
      table.refuse("points",
                   fmt::format("found together with {}",
                               shell.method == ShellMethod::kFile
                                   ? "\"points_file\""
                                   : fmt::format("method \"{}\"", name_of(shell.method))),
                   rays_or_voxels ? "\"spacing\", which determines the number of points"
                                  : "no number of points: it is already determined");
    }
    shell.points = 0;
  } else if (repulsion && both) {
    if (table.has("points")) {
      table.refuse("points", "found together with \"levels\" and \"first_level\"",
                   "at most two of the three");
    }
    shell.points = 0;
  } else {
    shell.points = static_cast<std::uint32_t>(table.integer("points", 1, kMostPoints));
  }
  if (both && !repulsion) {
    table.refuse("first_level", "found together with \"levels\"", "only one of the two");
  }
  if (rays_or_voxels) {
    shell.spacing = table.number("spacing", NumberRange::positive("m"));
  } else if (table.has("spacing")) {
    table.refuse("spacing", fmt::format("found for method \"{}\"", name_of(shell.method)),
                 "\"points\", or method \"voxels\" or \"depth\"");
  }
}

/// Refuses levels that the points do not suffice for, before the long work.
void check_levels(const TomlTable& table, const PointShellSettings& shell) {
  if (counts_itself(shell.method)) return;
  try {
    if (shell.method == ShellMethod::kRepulsion) {
      repulsion_level_ends(shell.points, shell.levels, shell.first_level);
    } else {
      shell_level_ends(shell.points, shell.levels, shell.first_level);
    }
  } catch (const InputError&) {
    if (shell.levels == 0) {
      table.refuse("first_level",
                   fmt::format("found {} of {} points", shell.first_level, shell.points),
                   "at most all of them");
    }
    table.refuse("levels",
                 shell.points > 0
                     ? fmt::format("found {} for {} points", shell.levels, shell.points)
                     : fmt::format("found {} from {} points", shell.levels, shell.first_level),
                 shell.points > 0
                     ? "levels with at least one point each (each level is 4 times the one above)"
                     : "levels of at most 4000000 points in all (each is 4 times the one above)");
  }
}

}  // namespace

ShellRecipe read_shell_table(const TomlTable& table) {
  ShellRecipe recipe;
  PointShellSettings& shell = recipe.sampling;
  if (table.has("points_file")) {
    if (table.has("method")) {
      table.refuse("method", "found together with \"points_file\"", "only one of the two");
    }
    shell.points_file = table.file("points_file");
    shell.method = ShellMethod::kFile;
  } else {
    shell.method = read_method(table);
  }
  read_counts(table, shell);
  shell.seed = static_cast<std::uint64_t>(
      table.integer("seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  check_levels(table, shell);

  recipe.area_weights = table.boolean("area_weights", false);
  recipe.offset = table.boolean("offset", false);
  recipe.offset_voxels =
      table.number("offset_voxels", NumberRange::between(0.9, 8.0), recipe.offset_voxels);
  recipe.offset_resolution =
      static_cast<std::uint32_t>(table.integer("offset_resolution", 16, 512, 0));
  if (recipe.offset_resolution != 0 && !std::has_single_bit(recipe.offset_resolution)) {
    table.refuse("offset_resolution", fmt::format("found {}", recipe.offset_resolution),
                 "a power of two from 16 to 512");
  }
  table.finish();
  return recipe;
}

}  // namespace haptic
