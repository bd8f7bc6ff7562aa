#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "lab/samples/state_value.h"
#include "rt/worlds/solids/solids_kind.h"
#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/solids_world.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic::solids {

/// Radius of the ball in the hand [m].
inline constexpr double kRadius = 0.02;

/// Worlds of one anchored body and one in the hand, from models with closed forms.
class SolidsWorldTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = model_folder("world");
    write_ball(folder_ / "ball.h5", kRadius);
    write_box(folder_ / "box.h5", {6e-3, 5e-3, 4e-3});
    write_plane(folder_ / "point.h5", 1, 1.0);
    write_plane(folder_ / "plane.h5", 21, 1e-3);
    write_sprung_plane(folder_ / "soft.h5", SprungPlane{});
    write_sprung_ball(folder_ / "soft_ball.h5", kRadius, SprungPlane{});
    SprungPlane lifting;
    lifting.lift = 0.5;
    write_sprung_plane(folder_ / "lifting.h5", lifting);
    lifting.modes = 2;
    write_sprung_plane(folder_ / "lifting2.h5", lifting);
    SprungPlane editable;
    editable.editable = true;
    editable.quartic = 5e6;
    write_sprung_plane(folder_ / "editable.h5", editable);
    SprungPlane stiffening;
    stiffening.quartic = 5e7;
    write_sprung_plane(folder_ / "stiffening.h5", stiffening);
    SprungPlane unstable;
    unstable.quadratic = -1e8;
    write_sprung_plane(folder_ / "unstable.h5", unstable);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  // A ball in the hand over an anchored body, the ball's field against the body's points.
  static Scene ball_over(const char* model) {
    Scene scene;
    scene.file = folder_ / "scene.toml";
    scene.kind = &solids_world_kind();
    scene.bodies.push_back({"ground", folder_ / model, BodyRole::kAnchored, {}});
    scene.bodies.back().pose = Pose{};
    scene.bodies.push_back({"ball", folder_ / "ball.h5", BodyRole::kHeld, {}});
    scene.bodies.back().pose = Pose{};
    scene.bodies.back().pose.position.z() = kRadius;  // just touches when the hand is at the origin
    edit_solids(scene).contacts.push_back({0, 1, {200.0}});
    return scene;
  }

  static DeviceState hand_at(double x, double y, double z) {
    DeviceState hand;
    hand.pose.position = {x, y, z};
    return hand;
  }

  static WorldOutput hold(World& world, const DeviceState& hand, int cycles) {
    WorldOutput output;
    for (int i = 0; i < cycles; ++i) EXPECT_EQ(world.step(hand, output), WorldStatus::kOk);
    return output;
  }

  // A hand that strokes and presses the ground, 0..5 s.
  static DeviceState stroke(int cycle) {
    const double t = 1e-3 * cycle;
    DeviceState hand = hand_at(4e-3 * std::sin(3.0 * t), 3e-3 * std::sin(5.0 * t),
                               3e-3 * std::cos(7.0 * t) - 2e-3);
    hand.pose.orientation =
        rotation_exponential({0.3 * std::sin(t), 0.2 * std::sin(2.0 * t), 0.5 * t});
    return hand;
  }

  inline static std::filesystem::path folder_;
};

}  // namespace haptic::solids
