#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rt/worlds/scene.h"
#include "shared/math/pose.h"

namespace haptic {

/// A waypoint of a hand motion, device frame.
struct Waypoint {
  double time;                     ///< s
  Vector3 position;                ///< m
  Vector3 turn = Vector3::Zero();  ///< rotation vector [rad]
};

/// Files of a generated scene in a separate folder: recipes, hand, scene, meshes and models. Files
/// that exist with the same content are kept.
class MadeScene {
 public:
  explicit MadeScene(std::filesystem::path folder);

  /// @param text content of the file
  void add_file(const std::string& name, const std::string& text);
  /// Minimum-jerk motion through waypoints, 20 rows a second; the hand rests at each.
  void add_hand(const std::string& name, const std::vector<Waypoint>& waypoints);
  /// Bakes the parts (PART.toml).
  void bake(const std::vector<std::string>& parts) const;
  /// Bakes the parts and loads the scene file.
  Scene load(const std::string& scene, const std::vector<std::string>& parts) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// Beginning of a scene of free bodies: a ground y = 0, and a ball in the hand that is out of the
/// way.
std::string ground_scene(double rate_hz);

/// Recipe of the bridge of the catalogue (bridge.obj): soft, fixed at its feet, r = 15.
std::string bridge_recipe(int resolution, int points, int levels);

}  // namespace haptic
