// Bodies that slide over the seam of two boxes of equal height do not meet the faces between them.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"

namespace haptic::solids {
namespace {

class Seams : public FreeBodies {
 protected:
  /// Two boxes by formula side by side, their tops at z = 0, `gap` apart at x = 0.
  static Scene planks(double gap) {
    Scene scene = ground();
    const AnalyticShape plank{ShapeKind::kBox, {0.2, 0.2, 0.02}};
    scene.bodies[0].model = plank;
    scene.bodies[0].pose.position = {-0.1 - 0.5 * gap, 0.0, -0.01};
    scene.bodies.push_back({"next", plank, BodyRole::kAnchored, {}});
    scene.bodies.back().pose.position = {0.1 + 0.5 * gap, 0.0, -0.01};
    return scene;
  }
};

TEST_F(Seams, what_slides_over_a_seam_keeps_its_speed) {
  for (const char* model : {"cube.h5", "marble.h5"}) {
    for (const double rate : {250.0, 1000.0, 4000.0}) {
      for (const double stiffness : {2e4, 2e5}) {
        for (const double v : {0.05, 0.2}) {
          Scene scene = planks(0.0);
          scene.rate_hz = rate;
          const std::size_t body =
              add(scene, model, {-0.011, 0.0, kHalf - 2e-5}, {{v, 0.0, 0.0}, Vector3::Zero()});
          touch(scene, body, 0, stiffness, 20.0);
          touch(scene, body, 2, stiffness, 20.0);
          SolidsWorld world(scene, nullptr);
          hold(world, {}, static_cast<int>(0.025 / v * rate));
          EXPECT_NEAR(world.free_bodies()[0]->twist().linear.x(), v, 0.02 * v)
              << model << " " << rate << " " << stiffness << " " << v;
          EXPECT_GT(position(world, body).x(), 0.01);
        }
      }
    }
  }
}

// With friction, what slides over a seam is braked by mu m g, as beside it.
TEST_F(Seams, friction_over_a_seam_is_that_beside_it) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double stiffness : {2e4, 2e5}) {
      const double v = 0.3, mu = 0.2;
      Scene scene = planks(0.0);
      scene.rate_hz = rate;
      const std::size_t body =
          add(scene, "cube.h5", {-0.011, 0.0, kHalf - 2e-5}, {{v, 0.0, 0.0}, Vector3::Zero()});
      for (const std::size_t plank : {0, 2}) {
        touch(scene, body, plank, stiffness, 20.0, {mu, mu, {}});
      }
      SolidsWorld world(scene, nullptr);
      const double time = 0.07;
      hold(world, {}, static_cast<int>(time * rate));
      const double left = v - mu * kG * time;
      EXPECT_NEAR(world.free_bodies()[0]->twist().linear.x(), left, 0.05 * (v - left))
          << rate << " " << stiffness;
      EXPECT_GT(position(world, body).x(), 0.0);
    }
  }
}

// A step of 1 mm is met: nothing goes through the end of the higher plank.
TEST_F(Seams, a_step_is_met) {
  Scene scene = planks(0.0);
  scene.bodies.back().pose.position.z() = -0.009;
  const std::size_t cube =
      add(scene, "cube.h5", {-0.012, 0.0, kHalf - 2e-5}, {{0.05, 0.0, 0.0}, Vector3::Zero()});
  touch(scene, cube, 0, 2e4, 20.0);
  touch(scene, cube, 2, 2e4, 20.0);
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 400);
  // The cube's points end a twentieth of its side before its faces.
  EXPECT_LT(position(world, cube).x(), -0.9 * kHalf + 1e-3);
}

}  // namespace
}  // namespace haptic::solids
