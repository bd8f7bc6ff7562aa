#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace haptic {

/// Folder of scene files with the models and meshes, which are made on demand.
struct ModelFolder {
  std::filesystem::path scenes;  ///< scene files, recipes, hand scripts; read only
  std::filesystem::path folder;  ///< receives copies of them, meshes and models; may be the same
  std::filesystem::path meshes =
      {};  ///< OBJ files used instead of shapes of the catalogue; empty: none
  /// Parameters of the catalogue's shapes, by shape.
  std::map<std::string, std::map<std::string, double>> shapes = {};
};

/// Brings the folder up to date for a scene: copies what changed, makes the missing meshes and
/// bakes each part's `PART.toml` to `PART.h5` if the model is missing or older than its recipe.
/// A recipe's `mesh = "NAME.obj"` is NAME.obj of `meshes`, or the catalogue's shape NAME.
/// Shows the stages of a bake on standard error.
/// @throws InputError if a recipe or mesh is invalid, OperationError if a bake fails
void prepare_models(const ModelFolder& where, std::span<const std::string> parts);

}  // namespace haptic
