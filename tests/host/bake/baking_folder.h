#pragma once

#include <filesystem>
#include <string>

namespace haptic {

/// Exit code and output of a command.
struct Finished {
  int code;  ///< -1: ended by a signal
  std::string out, error;
};

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
  /// Bakes RECIPE to MODEL without output.
  std::filesystem::path bake(const std::string& recipe, const std::string& model) const;
  /// Runs a command line of the shell in the folder.
  Finished shell(const std::string& command) const;

 private:
  std::filesystem::path folder_;
};

/// A scene of both models, beam.h5 and ball.h5: the held ball above the anchored beam.
inline constexpr const char* kBallOnBeam = R"(rate_hz = 1000
[[body]]
name = "beam"
model = "beam.h5"
role = "anchored"
[[body]]
name = "ball"
model = "ball.h5"
role = "held"
position = [0.18, 0.0, 0.02]
[[contact]]
points = "beam"
field = "ball"
stiffness = 150.0
)";

/// Text of beam.toml, with `from` replaced by `to`; `from` must occur.
std::string beam_recipe(const std::string& from = "", const std::string& to = "");

}  // namespace haptic
