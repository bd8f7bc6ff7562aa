#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/experiments/drawn_bodies.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/made_scene.h"
#include "rt/worlds/scene.h"
#include "shared/math/pose.h"

namespace haptic {

/// What chance decides of a press.
struct DrawnPress {
  std::size_t body = 0, tool = 0;
  bool tool_has_points = false, rubs = false, tool_has_mass = false;
  double rate = 0.0, stiffness = 0.0, max_speed = 0.0, depth = 0.0;
  Vector3 start = Vector3::Zero(), along = Vector3::Zero();  // of the tool, and of the hand
  Quaternion body_turn, tool_turn;
};

/// Scenes in which a ball, a block, a plate or one of the drawn bodies, smaller, is pressed on a
/// point of an anchored body.
class DrawnPresses {
 public:
  static constexpr double kBodyLength = 0.1, kToolLength = 0.04;  // m
  static constexpr double kGap = 0.005;  // between the tool and a place [m]

  /// Bakes rigid bodies.
  explicit DrawnPresses(const Experiment& experiment);
  /// Bakes bodies that deform, and rigid tools. @param moduli  Young's [Pa]
  DrawnPresses(const Experiment& experiment, std::span<const double> moduli);

  DrawnPress draw(std::uint64_t seed) const;
  Scene scene(const DrawnPress& press);
  /// Tool, body, rate, stiffness, speed limit and friction, as in columns().
  std::vector<std::string> cells(const DrawnPress& press) const;
  static std::vector<std::string> columns();

  std::filesystem::path model(const DrawnPress& press) const;

 private:
  struct Tool {
    std::string name, keys;  // of its body
    double radius;           // m
    bool mesh;
  };
  void add_tools(const Experiment& experiment);

  MadeScene files_;
  bool soft_;
  std::vector<std::string> bodies_;
  std::vector<Tool> tools_;
};

}  // namespace haptic
