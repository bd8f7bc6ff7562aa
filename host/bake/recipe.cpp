#include "host/bake/recipe.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "shared/config/toml_reader.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::int64_t kLargestIndex = std::numeric_limits<std::uint32_t>::max();

void read_source(const TomlTable& table, Recipe& recipe) {
  recipe.mesh = table.file("mesh");
  recipe.length = table.number("length", NumberRange::positive("m"));
  const std::string origin = table.choice("origin", {"file", "centre", "mass"}, "file");
  recipe.origin = origin == "file"     ? SourceOrigin::kFile
                  : origin == "centre" ? SourceOrigin::kCentre
                                       : SourceOrigin::kMass;
  table.finish();
}

void read_mesh_table(const TomlTable& table, Recipe& recipe) {
  recipe.voxels.resolution =
      static_cast<std::uint32_t>(table.integer("resolution", 1, 512, recipe.voxels.resolution));
  recipe.voxels.fill = table.boolean("fill", recipe.voxels.fill);
  table.finish();
}

void read_material(const TomlTable& table, Recipe& recipe) {
  const NumberRange modulus = NumberRange::positive("Pa");
  const NumberRange ratio = {
      .minimum = -1.0, .maximum = 0.5, .minimum_excluded = true, .maximum_excluded = true};
  recipe.material.density = table.number("density", NumberRange::positive("kg/m^3"));
  if (recipe.reduction) {
    recipe.material.youngs_modulus = table.number("youngs_modulus", modulus);
    recipe.material.poisson_ratio = table.number("poisson_ratio", ratio);
  } else {  // a rigid body has no use for them, but a wrong one is still wrong
    table.optional_number("youngs_modulus", modulus);
    table.optional_number("poisson_ratio", ratio);
  }
  if (table.has("damping_ratios")) {
    const auto ratios = table.numbers("damping_ratios", 2, NumberRange::non_negative());
    recipe.damping_ratios = {ratios[0], ratios[1]};
  }
  table.finish();
}

Vector3 corner(const TomlTable& table, std::string_view key) {
  const std::vector<double> values = table.numbers(key, 3, NumberRange::any("m"));
  return {values[0], values[1], values[2]};
}

void read_constraints(const TomlTable& table, Recipe& recipe) {
  for (const TomlTable& entry : table.tables("planes")) {
    PlaneConstraint plane;
    const std::string axis = entry.choice("axis", {"x", "y", "z"}, "");
    if (axis.empty()) entry.refuse("axis", "missing", "one of \"x\" \"y\" \"z\"");
    plane.axis = axis[0] - 'x';
    const auto below = entry.optional_number("below", NumberRange::non_negative("m"));
    const auto above = entry.optional_number("above", NumberRange::non_negative("m"));
    if (below.has_value() == above.has_value()) {
      entry.refuse("", below ? "found both \"below\" and \"above\"" : "found neither",
                   "either \"below\" or \"above\" [m]");
    }
    plane.side = below ? PlaneConstraint::Side::kBelow : PlaneConstraint::Side::kAbove;
    plane.distance = below ? *below : *above;
    entry.finish();
    recipe.constraints.planes.push_back(plane);
  }
  for (const TomlTable& entry : table.tables("boxes")) {
    BoxConstraint box{corner(entry, "min"), corner(entry, "max")};
    if ((box.max - box.min).minCoeff() < 0.0) {
      entry.refuse("max", "found a corner below \"min\"", "max >= min along every axis");
    }
    entry.finish();
    recipe.constraints.boxes.push_back(box);
  }
  if (table.has("vertices")) {
    for (const std::int64_t id : table.integers("vertices", 0, kLargestIndex)) {
      recipe.constraints.vertices.push_back(static_cast<std::uint32_t>(id));
    }
  }
  table.finish();
}

void read_reduction(const TomlTable& table, Recipe& recipe) {
  ReductionRecipe reduction;
  reduction.linear_modes = static_cast<int>(table.integer("linear_modes", 1, 64));
  reduction.dimension = static_cast<int>(table.integer("dimension", 1, 64));
  const int columns = reduction.linear_modes * (reduction.linear_modes + 3) / 2;
  if (reduction.dimension > columns) {
    table.refuse("dimension", fmt::format("found {}", reduction.dimension),
                 fmt::format("at most {}, the modes and modal derivatives of {} linear modes",
                             columns, reduction.linear_modes));
  }
  table.finish();
  recipe.reduction = reduction;
}

void read_shell(const TomlTable& table, Recipe& recipe) {
  PointShellSettings shell;
  shell.points = static_cast<std::uint32_t>(table.integer("points", 1, 4'000'000));
  shell.levels = static_cast<std::uint32_t>(table.integer("levels", 1, 12, 0));
  shell.seed = static_cast<std::uint64_t>(
      table.integer("seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  try {
    shell_level_ends(shell.points, shell.levels);
  } catch (const InputError&) {
    table.refuse("levels", fmt::format("found {} for {} points", shell.levels, shell.points),
                 "levels with at least one point each (each level is 4 times the one above)");
  }
  table.finish();
  recipe.shell = shell;
}

void read_field(const TomlTable& table, Recipe& recipe) {
  DistanceFieldSettings field;
  field.resolution =
      static_cast<std::uint32_t>(table.integer("resolution", 16, 512, field.resolution));
  if (!std::has_single_bit(field.resolution)) {
    table.refuse("resolution", fmt::format("found {}", field.resolution),
                 "a power of two from 16 to 512");
  }
  field.expansion = table.number(
      "expansion", {.minimum = 1.0, .maximum = 8.0, .minimum_excluded = true}, field.expansion);
  table.finish();
  recipe.field = field;
}

}  // namespace

Recipe load_recipe(const std::filesystem::path& path) {
  const TomlDocument document = TomlDocument::load(path);
  const TomlTable root = document.root();
  Recipe recipe;
  recipe.file = path;
  recipe.text = document.text();
  // All tables are known before the first complaint about a missing one.
  const auto source = root.optional_table("source"), mesh = root.optional_table("mesh"),
             material = root.optional_table("material"),
             constraints = root.optional_table("constraints"),
             reduction = root.optional_table("reduction"), shell = root.optional_table("shell"),
             field = root.optional_table("field");
  root.finish();
  read_source(source ? *source : root.table("source"), recipe);
  if (mesh) read_mesh_table(*mesh, recipe);
  if (reduction) read_reduction(*reduction, recipe);
  read_material(material ? *material : root.table("material"), recipe);
  if (constraints) read_constraints(*constraints, recipe);
  if (shell) read_shell(*shell, recipe);
  if (field) read_field(*field, recipe);
  if (recipe.reduction && recipe.constraints.empty()) {
    root.refuse("constraints", "found no constraint for a body with [reduction]",
                "planes, boxes or vertices that hold it");
  }
  if (!recipe.reduction && !recipe.constraints.empty()) {
    root.refuse("constraints", "found constraints for a rigid body",
                "none, or a [reduction] table");
  }
  return recipe;
}

}  // namespace haptic
