#include "host/bake/recipe.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "host/bake/recipe_keys.h"
#include "host/bake/recipe_tables.h"
#include "host/files/mesh_kind.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::int64_t kLargestIndex = std::numeric_limits<std::uint32_t>::max();

/// The shape of a cloth that needs no mesh file.
void read_grid(const TomlTable& table, Recipe& recipe) {
  if (!recipe.cloth) {
    table.refuse("grid", "found without [cloth]: a grid has no inside", "a mesh");
  }
  refuse_source_keys(table, {"mesh", "length", "unit", "scale", "up", "rotate"},
                     "found together with \"grid\"", "a mesh with its length, or a grid");
  recipe.grid = read_grid_table(table.table("grid"));
}

void read_source(const TomlTable& table, Recipe& recipe) {
  if (table.has("grid")) {
    read_grid(table, recipe);
  } else if (recipe.cloth && !table.has("mesh")) {
    table.refuse("mesh", "missing", "a mesh file, or \"grid\" for a rectangle");
  } else if (recipe.volume.empty() || table.has("mesh")) {
    recipe.mesh = table.file("mesh");
  }
  if (recipe.cloth || recipe.mesh.empty()) {
    refuse_source_keys(table, {"keep", "close_holes", "open"},
                       recipe.cloth ? "found together with [cloth], whose mesh is not repaired"
                                    : "found without a surface mesh",
                       "none, or source.mesh of a solid");
  } else {
    recipe.repair = read_source_repair(table);
  }
  recipe.frame = read_source_frame(table, recipe.volume.empty() && !recipe.grid);
  table.finish();
}

void read_mesh_table(const TomlTable& table, Recipe& recipe) {
  if (table.has("file")) {
    recipe.volume = table.file("file");
    for (const char* key : {"resolution", "fill", "cells"}) {
      if (table.has(key))
        table.refuse(key, "found together with \"file\"", "voxels or a volume mesh");
    }
  }
  recipe.voxels.resolution =
      static_cast<std::uint32_t>(table.integer("resolution", 1, 512, recipe.voxels.resolution));
  recipe.voxels.fill = table.boolean("fill", recipe.voxels.fill);
  recipe.cut_cells = table.choice("cells", {"cut", "full"}, "cut") == "cut";
  if (table.choice("elements", {"assumed-strain", "full"}, "assumed-strain") == "full") {
    recipe.strains = StrainSampling::kPointwise;
  }
  if (table.choice("mass", {"consistent", "lumped"}, "consistent") == "lumped") {
    recipe.mass = MassKind::kLumped;
  }
  table.finish();
}

void read_constraints(const TomlTable& table, Recipe& recipe) {
  for (const TomlTable& entry : table.tables("planes")) {
    recipe.constraints.planes.push_back(read_plane(entry));
  }
  for (const TomlTable& entry : table.tables("boxes")) {
    recipe.constraints.boxes.push_back(read_box(entry));
  }
  for (const TomlTable& entry : table.tables("spheres")) {
    recipe.constraints.spheres.push_back(read_sphere(entry));
  }
  for (const TomlTable& entry : table.tables("cylinders")) {
    recipe.constraints.cylinders.push_back(read_cylinder(entry));
  }
  for (const TomlTable& entry : table.tables("patches")) {
    recipe.constraints.patches.push_back(read_sphere(entry, "near"));
  }
  for (const TomlTable& entry : table.tables("groups")) {
    if (lower_case_extension(recipe.volume) != ".msh") {
      entry.refuse("name", "found without a mesh that names groups", "mesh.file of Gmsh (.msh)");
    }
    recipe.constraint_groups.push_back(entry.text("name"));
    entry.finish();
  }
  if (table.has("vertices")) {
    for (const std::int64_t id : table.integers("vertices", 0, kLargestIndex)) {
      recipe.constraints.vertices.push_back(static_cast<std::uint32_t>(id));
    }
  }
  if (table.has("file")) recipe.constraint_file = table.file("file");
  table.finish();
}

void read_field(const TomlTable& table, Recipe& recipe) {
  DistanceFieldSettings field;
  const std::string layout = table.text("layout", "dense");
  if (layout != "dense" && layout != "sparse") {
    table.refuse("layout", fmt::format("found \"{}\"", layout), "\"dense\" or \"sparse\"");
  }
  const bool sparse = layout == "sparse";
  const int finest = sparse ? 1024 : 512;
  field.resolution =
      static_cast<std::uint32_t>(table.integer("resolution", 16, finest, field.resolution));
  if (!std::has_single_bit(field.resolution)) {
    table.refuse("resolution", fmt::format("found {}", field.resolution),
                 fmt::format("a power of two from 16 to {}", finest));
  }
  if (sparse) {
    recipe.sparse_band = table.number("band", NumberRange::between(2.0, 64.0, "voxels"), 4.0);
    if (table.has("proxies")) {
      table.refuse("proxies", "found together with a sparse layout", "layout = \"dense\"");
    }
  } else if (table.has("band")) {
    table.refuse("band", "found together with a dense layout", "layout = \"sparse\"");
  }
  field.expansion = table.number(
      "expansion", {.minimum = 1.0, .maximum = 8.0, .minimum_excluded = true}, field.expansion);
  recipe.field = field;
  if (table.has("proxies")) {
    if (!recipe.reduction) {
      table.refuse("proxies",
                   "found without [reduction]: the field of a rigid body does not deform",
                   "a deformable body");
    }
    FieldProxyRecipe proxies;
    proxies.count = static_cast<std::uint32_t>(table.integer("proxies", 1, 4096, 40));
    const std::string domains = table.text("domains", "one");
    if (domains != "one" && domains != "parts") {
      table.refuse("domains", fmt::format("found \"{}\"", domains), "\"one\" or \"parts\"");
    }
    if (domains == "parts") proxies.domains = FieldDomains::kParts;
    recipe.field_proxies = proxies;
  } else if (table.has("domains")) {
    table.refuse("domains", "found without proxies",
                 "domains together with proxies, e.g. proxies = 40");
  }
  table.finish();
}

void read_condensed(const TomlTable& table, Recipe& recipe) {
  CondensedRecipe condensed;
  condensed.modes = static_cast<int>(table.integer("modes", 1, 100000));
  if (table.choice("precision", {"single", "double"}, "single") == "double") {
    condensed.precision = CompliancePrecision::kDouble;
  }
  table.finish();
  recipe.condensed = condensed;
}

void refuse_tables_of_solids(const TomlTable& root) {
  for (const char* key :
       {"mesh", "material", "constraints", "reduction", "condensed", "shell", "field"}) {
    if (root.has(key)) {
      root.refuse(key, "found together with [cloth]",
                  "[source] and [cloth] alone: a cloth is particles and springs");
    }
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
  const double x = recipe.grid->width / (grid.nx - 1), y = recipe.grid->height / (grid.ny - 1);
  const FabricMaterial& fabric = recipe.cloth->fabric;
  const double most = largest_shear(x, y, fabric.membrane);
  if (fabric.shear <= most) return;
  cloth.refuse("membrane_shear",
               fmt::format("found {:g} N/m{} with cells of {:.4g} m x {:.4g} m", fabric.shear,
                           cloth.has("membrane_shear") ? "" : ", the default,", x, y),
               fmt::format("at most {:.4g} N/m, or squarer cells", most));
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
  Recipe recipe;
  recipe.file = document.path();
  recipe.text = document.text();
  // All tables are known before the first complaint about a missing one.
  const auto source = root.optional_table("source"), mesh = root.optional_table("mesh"),
             material = root.optional_table("material"),
             constraints = root.optional_table("constraints"),
             reduction = root.optional_table("reduction"),
             condensed = root.optional_table("condensed"), shell = root.optional_table("shell"),
             field = root.optional_table("field"), cloth = root.optional_table("cloth");
  root.finish();
  if (cloth) {
    refuse_tables_of_solids(root);
    recipe.cloth = read_cloth_table(*cloth);
    read_source(source ? *source : root.table("source"), recipe);
    check_fabric(*cloth, recipe);
    return recipe;
  }
  if (mesh) read_mesh_table(*mesh, recipe);
  if (source || recipe.volume.empty()) {
    read_source(source ? *source : root.table("source"), recipe);
  }
  if (reduction) read_reduction_table(*reduction, recipe);
  if (condensed) read_condensed(*condensed, recipe);
  if (mesh && mesh->has("mass") && !reduction) {
    mesh->refuse("mass",
                 condensed ? "found without [reduction]: the mass of [condensed] is lumped"
                           : "found for a rigid body",
                 "a deformable one, with [reduction]");
  }
  if (material || !may_hold_materials(recipe.volume)) {
    read_material_table(material ? *material : root.table("material"), recipe);
  }
  if (constraints) read_constraints(*constraints, recipe);
  if (shell) recipe.shell = read_shell_table(*shell);
  if (field) read_field(*field, recipe);
  check_constraints(root, recipe);
  return recipe;
}

}  // namespace

bool may_hold_materials(const std::filesystem::path& volume) {
  return lower_case_extension(volume) == ".veg";
}

Vector3 read_point(const TomlTable& table, std::string_view key) {
  const std::vector<double> values = table.numbers(key, 3, NumberRange::any("m"));
  return {values[0], values[1], values[2]};
}

BoxConstraint read_box(const TomlTable& table) {
  BoxConstraint box{read_point(table, "min"), read_point(table, "max")};
  if ((box.max - box.min).minCoeff() < 0.0) {
    table.refuse("max", "found a corner below \"min\"", "max >= min along every axis");
  }
  table.finish();
  return box;
}

SphereConstraint read_sphere(const TomlTable& table, std::string_view place) {
  SphereConstraint sphere{read_point(table, place),
                          table.number("radius", NumberRange::positive("m"))};
  table.finish();
  return sphere;
}

CylinderConstraint read_cylinder(const TomlTable& table) {
  CylinderConstraint cylinder{read_point(table, "from"), read_point(table, "to"),
                              table.number("radius", NumberRange::positive("m"))};
  if (!((cylinder.to - cylinder.from).norm() > 0.0)) {
    table.refuse("to", "found the point of \"from\"", "the other end of the axis");
  }
  table.finish();
  return cylinder;
}

PlaneConstraint read_plane(const TomlTable& table) {
  PlaneConstraint plane;
  const std::string axis = table.choice("axis", {"x", "y", "z"}, "");
  if (axis.empty()) table.refuse("axis", "missing", "one of \"x\" \"y\" \"z\"");
  plane.axis = axis[0] - 'x';
  const auto below = table.optional_number("below", NumberRange::non_negative("m"));
  const auto above = table.optional_number("above", NumberRange::non_negative("m"));
  if (below.has_value() == above.has_value()) {
    table.refuse("", below ? "found both \"below\" and \"above\"" : "found neither",
                 "either \"below\" or \"above\" [m]");
  }
  plane.side = below ? PlaneConstraint::Side::kBelow : PlaneConstraint::Side::kAbove;
  plane.distance = below ? *below : *above;
  table.finish();
  return plane;
}

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
