#pragma once

#include <filesystem>
#include <string>

namespace haptic {

/// A fresh folder with catalogue meshes and recipes to bake, removed at the end.
///   beam.obj, beam.toml   deformable, r = 6, shell and field, some 200 elements
///   ball.obj, ball.toml   rigid, shell and field
class BakingFolder {
 public:
  explicit BakingFolder(const char* name);
  BakingFolder(const BakingFolder&) = delete;
  BakingFolder& operator=(const BakingFolder&) = delete;
  ~BakingFolder();

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  /// Bakes RECIPE to MODEL, quietly.
  std::filesystem::path bake(const std::string& recipe, const std::string& model) const;

 private:
  std::filesystem::path folder_;
};

/// Text of beam.toml, with `from` replaced by `to`; `from` must occur.
std::string beam_recipe(const std::string& from = "", const std::string& to = "");

}  // namespace haptic
