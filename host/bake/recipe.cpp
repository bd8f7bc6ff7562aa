#include "host/bake/recipe.h"

#include <fmt/format.h>

#include "host/bake/recipe_keys.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Refuses levels of a shell that the points do not suffice for, before the long work.
void check_levels(const TomlTable& table, const PointShellSettings& shell) {
  if (determines_point_count(shell.method)) return;
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

/// What a fabric cannot be on the grid of the recipe, or without one.
void check_fabric(const TomlTable& cloth, const Recipe& recipe) {
  if (recipe.cloth->topology != SpringTopology::kFabric) return;
  if (!recipe.grid) {
    cloth.refuse("springs", "found \"fabric\" and a mesh",
                 "source.grid, whose threads are known, or other springs");
  }
  const GridSize grid = recipe.grid->particles;
  const double x = recipe.grid->size[0] / (grid.nx - 1), y = recipe.grid->size[1] / (grid.ny - 1);
  const FabricMaterial& fabric = recipe.cloth->fabric;
  const double max_shear = largest_shear(x, y, fabric.membrane);
  if (fabric.shear <= max_shear) return;
  cloth.refuse("membrane_shear",
               fmt::format("found {:g} N/m{} with cells of {:.4g} m x {:.4g} m", fabric.shear,
                           cloth.has("membrane_shear") ? "" : ", the default,", x, y),
               fmt::format("at most {:.4g} N/m, or squarer cells", max_shear));
}

void check_constraints(const TomlTable& root, const Recipe& recipe) {
  const bool any = !recipe.constraints.empty() || !recipe.constraint_groups.empty() ||
                   !recipe.constraint_file.empty();
  if (!recipe.deformable()) {
    if (any) {
      root.refuse("constraints", "found constraints for a rigid body",
                  "none, or a [reduction] table");
    }
  } else if (recipe.free()) {
    if (recipe.condensed) {
      root.refuse("condensed",
                  "found for a body with reduction.free: without a fixed vertex it "
                  "has no compliance",
                  "[constraints], and no reduction.free");
    }
    if (any) {
      root.refuse("constraints", "found constraints for a body with reduction.free",
                  "none: a free body has no constraints");
    }
  } else if (!any) {
    root.refuse(
        "constraints",
        fmt::format("found no constraint for a body with [{}]",
                    recipe.reduction ? "reduction" : "condensed"),
        "planes, boxes, spheres, cylinders, patches, vertices or a file of vertices to fix");
  }
}

Recipe read_recipe(const TomlDocument& document) {
  const TomlTable root = document.root();
  root.use_keys(recipe_keys());
  recipe_schema().refuse_others(root);
  Recipe recipe;
  recipe.file = document.path();
  recipe.text = document.text();
  recipe_schema().read(root, recipe);
  if (recipe.cloth) {
    check_fabric(root.table("cloth"), recipe);
    return recipe;
  }
  if (root.has("mesh") && root.table("mesh").has("mass") && !recipe.reduction) {
    root.table("mesh").refuse("mass",
                              recipe.condensed
                                  ? "found without [reduction]: the mass of [condensed] is lumped"
                                  : "found for a rigid body",
                              "a deformable one, with [reduction]");
  }
  if (root.has("material")) resolve_material(root.table("material"), recipe);
  if (recipe.shell) check_levels(root.table("shell"), recipe.shell->sampling);
  check_constraints(root, recipe);
  return recipe;
}

}  // namespace

Recipe load_recipe(const std::filesystem::path& path) {
  return read_recipe(TomlDocument::load(path));
}

Recipe parse_recipe(std::string text, const std::filesystem::path& path) {
  return read_recipe(TomlDocument::parse(std::move(text), path));
}

std::vector<std::filesystem::path> recipe_files(const Recipe& recipe) {
  std::vector<std::filesystem::path> files = {recipe.file, recipe.mesh, recipe.volume,
                                              recipe.constraint_file};
  if (recipe.reduction) {
    files.push_back(recipe.reduction->basis_file);
    files.insert(files.end(), recipe.reduction->forces.begin(), recipe.reduction->forces.end());
  }
  return files;
}

}  // namespace haptic
