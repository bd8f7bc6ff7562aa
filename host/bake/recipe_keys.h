#pragma once

#include <optional>
#include <span>

#include "host/bake/recipe.h"
#include "shared/config/key_schema.h"

/// The keys of a recipe (docs/bake.md), a schema for each table. What needs a library of meshes to
/// be checked is checked after reading, in recipe.cpp and recipe_material.cpp: `haptic explain`
/// links the schemas alone.
namespace haptic {

const KeySchema<Recipe>& recipe_schema();
/// The same, for descriptions.
std::span<const KeyGroup> recipe_keys();

const KeySchema<Recipe>& source_keys();
const KeySchema<Recipe>& material_keys();
const KeySchema<Recipe>& constraint_keys();
const KeySchema<ReductionRecipe>& reduction_keys();
const KeySchema<ShellRecipe>& shell_keys();
const KeySchema<ClothRecipe>& cloth_recipe_keys();

/// Where [material] gives a material; nothing if it leaves it to the volume mesh.
std::optional<RecipeKey> material_key(const TomlTable& material, const Recipe& recipe);

}  // namespace haptic
