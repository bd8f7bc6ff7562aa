#include "rt/worlds/cloth/cloth_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::cloth {
namespace {

/// The sheet over a ball of 40 mm whose top is 1 mm below it.
class OverBall : public SheetWorld {
 protected:
  static constexpr double kRadius = 0.04, kDown = 0.042;         // m
  static constexpr double kWeight = 0.2 * kSide * kSide * 9.81;  // N

  static void SetUpTestSuite() {
    SheetWorld::SetUpTestSuite();
    const SprungPlane springs{.scale = 2.0, .quadratic = 800.0, .alpha = 40.0};  // 200 N/m, 0.25 kg
    write_sprung_ball(folder_ / "sprung.h5", kRadius, springs);
    write_sprung_ball(folder_ / "no_proxies.h5", kRadius, springs, false);
  }
  static std::string with(const std::string& body, const std::string& tables = "") {
    return text("[[body]]\nname = \"ball\"\n" + body + "\nrole = \"anchored\"\nposition = [0.0, -" +
                std::to_string(kDown) + ", 0.0]\n[cloth]\nbody = \"sheet\"\ndrag = 2e-4\n" +
                "[contact]\nfriction = 1.0\n" + tables + point());
  }
  static std::string rigid() { return "shape = \"sphere\"\nradius = " + std::to_string(kRadius); }
  static std::string sprung() { return "model = \"sprung.h5\""; }
  static WorldOutput rest(World& world, int cycles) {
    const Vector3 away(0.0, 0.3, 0.0);
    return move(world, away, away, cycles);
  }
};

TEST_F(OverBall, the_cloth_stays_outside) {
  ClothWorld world(scene(with(rigid())), nullptr);
  rest(world, 1500);
  const Vector3 centre(0.0, -kDown, 0.0);
  double nearest = 1.0;
  for (std::size_t i = 0; i < world.sheet().system().size(); ++i) {
    nearest = std::min(nearest, (Vector3(at(world.sheet().x(), i)) - centre).norm());
  }
  // Half the thickness above it, less the overlap of the weight on one of the springs of 500 N/m. A
  // flat cell of 22 mm that touches with its middle has its corners 15.7 mm aside.
  EXPECT_GT(nearest, kRadius + 1e-3 - kWeight / 500.0);
  EXPECT_LT(nearest, std::hypot(kRadius + 1e-3, 15.8e-3));
}

TEST_F(OverBall, a_cloth_that_begins_pierced_is_named) {
  std::string pierced = with(rigid());
  const ClothWorld apart(scene(pierced), nullptr);
  EXPECT_TRUE(apart.warnings().empty());
  const std::size_t from = pierced.find("position = [-0.1, 0.0, 0.1]");
  ASSERT_NE(from, std::string::npos);
  pierced.replace(from, 27, "position = [-0.1, -0.05, 0.1]");
  const ClothWorld world(scene(pierced), nullptr);
  ASSERT_EQ(world.warnings().size(), 1U);
  EXPECT_NE(world.warnings()[0].find("begin inside it"), std::string::npos) << world.warnings()[0];
}

// Nothing else holds the cloth, so the springs of the ball carry its weight: 200 N/m.
TEST_F(OverBall, a_body_that_gives_way_carries_the_weight) {
  ClothWorld world(scene(with(sprung())), nullptr);
  rest(world, 4000);
  const std::span<const double> q = world.state(1);
  ASSERT_EQ(q.size(), 3U);
  // The cloth sways still: 2 % of its weight.
  EXPECT_NEAR(2.0 * q[1] * 200.0, -kWeight, 0.02 * kWeight);
}

TEST_F(OverBall, a_reset_has_the_same_bits_again) {
  ClothWorld world(scene(with(sprung())), nullptr);
  rest(world, 300);
  const std::vector<double> first(world.sheet().x().begin(), world.sheet().x().end());
  const double deflection = world.state(1)[1];
  EXPECT_NE(deflection, 0.0);
  world.reset();
  EXPECT_EQ(world.state(1)[1], 0.0);
  rest(world, 300);
  EXPECT_EQ(std::memcmp(first.data(), world.sheet().x().data(), 8 * first.size()), 0);
  EXPECT_EQ(world.state(1)[1], deflection);
}

TEST_F(OverBall, a_body_that_deforms_needs_a_field_that_follows) {
  const Scene read = scene(with("model = \"no_proxies.h5\""));
  expect_scene_refusal([&] { ClothWorld(read, nullptr); }, "field.proxies");
}

TEST_F(OverBall, capacity_is_a_limit_and_no_fault) {
  ClothWorld world(scene(with(rigid(), "capacity = 4\n")), nullptr);
  rest(world, 1000);
  // Four places carry the cloth: it does not fall through.
  double highest = -1.0;
  for (std::size_t i = 1; i < world.sheet().x().size(); i += 3) {
    highest = std::max(highest, world.sheet().x()[i]);
  }
  EXPECT_GT(highest, -0.02);
}

}  // namespace
}  // namespace haptic::cloth
