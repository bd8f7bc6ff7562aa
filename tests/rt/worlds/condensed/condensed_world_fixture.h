#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "rt/worlds/condensed/condensed_world.h"
#include "rt/worlds/scene.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/support/condensed_box.h"

namespace haptic::condensed {

/// Worlds of a block of 0.1 m whose lowest layer of nodes is fixed, E = 1e4 Pa, and a tool that is
/// 5 mm above the top of the block when the hand is at the origin.
class PressedBlock : public ::testing::Test {
 protected:
  static constexpr double kTop = 0.05;  // of the block, world [m]
  static constexpr double kGap = 0.005;

  static void SetUpTestSuite() {
    folder_ = model_folder("condensed");
    bake_condensed_box(folder_ / "block.h5", {});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  /// A stylus of one point. @param tables  what [condensed] and [contact] have besides
  static std::string stylus_text(const std::string& condensed = "", const std::string& contact = "",
                                 double rate_hz = 1000.0) {
    return scene_text("radius = 0.004", 0.0, condensed, "points = [0.0, 0.0, 0.0]\n" + contact,
                      rate_hz);
  }
  /// A ball of 20 mm.
  static std::string ball_text(const std::string& condensed = "", const std::string& contact = "",
                               double rate_hz = 1000.0) {
    return scene_text("radius = 0.02", 0.02, condensed, contact, rate_hz);
  }
  static std::string scene_text(const std::string& size, double radius,
                                const std::string& condensed, const std::string& contact,
                                double rate_hz);
  static Scene scene(const std::string& text) { return parse_scene(text, folder_ / "scene.toml"); }

  static DeviceState hand_at(double x, double y, double z) {
    DeviceState hand;
    hand.pose.position = {x, y, z};
    return hand;
  }
  /// Runs a world while the hand moves to `to` on a straight line.
  static WorldOutput move(World& world, const Vector3& from, const Vector3& to, int cycles) {
    WorldOutput output;
    for (int i = 1; i <= cycles; ++i) {
      const Vector3 p = from + (to - from) * (static_cast<double>(i) / cycles);
      EXPECT_EQ(world.step(hand_at(p.x(), p.y(), p.z()), output), WorldStatus::kOk);
    }
    return output;
  }
  static WorldOutput hold(World& world, const Vector3& at, int cycles) {
    return move(world, at, at, cycles);
  }

  inline static std::filesystem::path folder_;
};

inline std::string PressedBlock::scene_text(const std::string& size, double radius,
                                            const std::string& condensed,
                                            const std::string& contact, double rate_hz) {
  return "world = \"condensed\"\nrate_hz = " + std::to_string(rate_hz) +
         "\n[[body]]\nname = \"block\"\nmodel = \"block.h5\"\nrole = \"anchored\"\n"
         "[[body]]\nname = \"tool\"\nshape = \"sphere\"\n" +
         size + "\nrole = \"held\"\nposition = [0.0, " + std::to_string(kTop + kGap + radius) +
         ", 0.0]\n[condensed]\n" + condensed + "\n[contact]\n" + contact + "\n";
}

}  // namespace haptic::condensed
