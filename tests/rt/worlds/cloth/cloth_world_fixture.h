#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/cloth_world.h"
#include "rt/worlds/scene.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/rt/worlds/cloth/cloth_file.h"

namespace haptic::cloth {

/// Writes a model of n x n particles, a square of `side` [m] of 0.2 kg/m^2.
inline void write_sheet(const std::filesystem::path& path, std::uint32_t n, double side,
                        double stiffness = 200.0, double damping = 0.002) {
  const ClothMesh mesh = make_grid({n, n}, side, side);
  write_cloth(path, mesh, uniform_masses(0.2 * side * side, mesh.vertices.size()), stiffness,
              damping);
}

/// Worlds of a level cloth, a square of 0.2 m about the origin at y = 0, 10 x 10 particles, and a
/// hand that is 10 mm above its middle when the device is at its origin.
class SheetWorld : public ::testing::Test {
 protected:
  static constexpr double kSide = 0.2, kAbove = 0.01;  // m

  static void SetUpTestSuite() {
    folder_ = model_folder("cloth_world");
    write_sheet(folder_ / "sheet.h5", 10, kSide);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  /// @param tables  after the bodies: [cloth], [touch], [[constraint]], ...
  static std::string text(const std::string& tables, double rate_hz = 1000.0,
                          const std::string& core = "") {
    return "world = \"cloth\"\nrate_hz = " + std::to_string(rate_hz) + "\n" + core +
           "[[body]]\nname = \"sheet\"\nmodel = \"sheet.h5\"\nrole = \"anchored\"\n"
           "position = [-0.1, 0.0, 0.1]\n"
           "orientation = [0.7071067811865476, -0.7071067811865476, 0.0, 0.0]\n"
           "[[body]]\nname = \"hand\"\nshape = \"sphere\"\nradius = 0.002\nrole = \"held\"\n"
           "position = [0.0, 0.01, 0.0]\n" +
           tables + "\n";
  }
  static std::string pinned() { return "[[constraint]]\nset = \"corners\"\n"; }
  static std::string point(const std::string& more = "") {
    return "[touch]\nhand = \"point\"\n" + more;
  }
  static Scene scene(const std::string& text) { return parse_scene(text, folder_ / "scene.toml"); }

  static DeviceState hand_at(const Vector3& p, std::uint32_t buttons = 0) {
    DeviceState hand;
    hand.pose.position = p;
    hand.buttons = buttons;
    return hand;
  }
  static WorldOutput move(World& world, const Vector3& from, const Vector3& to, int cycles,
                          std::uint32_t buttons = 0) {
    WorldOutput output;
    for (int i = 1; i <= cycles; ++i) {
      const Vector3 p = from + (to - from) * (static_cast<double>(i) / cycles);
      EXPECT_EQ(world.step(hand_at(p, buttons), output), WorldStatus::kOk);
    }
    return output;
  }

  inline static std::filesystem::path folder_;
};

}  // namespace haptic::cloth
