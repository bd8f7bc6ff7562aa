// Static and dynamic friction of rigid bodies: what sticks, what slides, and what it takes to move.

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"

namespace haptic::solids {
namespace {

constexpr double kFrictionRates[] = {250.0, 1000.0, 4000.0};
constexpr double kStatic = 0.5, kDynamic = 0.25;

class BodyFriction : public FreeBodies {
 protected:
  static constexpr double kThick = 2.5e-3, kPlateMass = 0.1;  // half of its thickness

  static void SetUpTestSuite() {
    FreeBodies::SetUpTestSuite();
    write_solid_box(folder_ / "slab.h5", {0.03, 0.03, kThick},
                    kPlateMass / (8.0 * 0.03 * 0.03 * kThick), 10);
  }

  /// A slab of 60 mm on a slope whose tangent is given, x downhill, as deep as it rests there.
  static Scene on_slope(double rate, double tangent, double velocity = 0.0) {
    const double a = std::atan(tangent);
    Scene scene = ground({kG * std::sin(a), 0.0, -kG * std::cos(a)});
    scene.rate_hz = rate;
    const double k = 1e3;
    const double depth = kPlateMass * kG * std::cos(a) / (100.0 * k);  // 100 points below
    const std::size_t slab =
        add(scene, "slab.h5", {0.0, 0.0, kThick - depth}, {{velocity, 0.0, 0.0}, Vector3::Zero()});
    touch(scene, slab, 0, k, 20.0, {kStatic, kDynamic, {}});
    return scene;
  }
  static double speed(const SolidsWorld& world) {
    return world.free_bodies()[0]->twist().linear.x();
  }
};

TEST_F(BodyFriction, a_body_at_rest_sticks_up_to_the_static_coefficient) {
  for (const double rate : kFrictionRates) {
    for (const double tangent : {0.26, 0.4, 0.97 * kStatic, 0.99 * kStatic}) {
      SolidsWorld world(on_slope(rate, tangent), nullptr);
      hold(world, {}, static_cast<int>(2.0 * rate));
      // The springs give way by 5 um at mu_s, and the body may slip by 20 times that.
      EXPECT_LE(std::abs(position(world, 2).x()), 1e-4) << rate << " " << tangent;
      EXPECT_LE(std::abs(speed(world)), 1e-9) << rate << " " << tangent;
    }
  }
}

// Beyond, it breaks away, and then slides with g (sin a - mu_d cos a).
TEST_F(BodyFriction, beyond_it_slides_with_the_dynamic_coefficient) {
  for (const double rate : kFrictionRates) {
    const double tangent = 1.01 * kStatic, a = std::atan(tangent);
    SolidsWorld world(on_slope(rate, tangent), nullptr);
    hold(world, {}, static_cast<int>(0.3 * rate));
    const double start = speed(world);
    hold(world, {}, static_cast<int>(0.3 * rate));
    const double expected = kG * (std::sin(a) - kDynamic * std::cos(a)) * 0.3;
    EXPECT_NEAR(speed(world) - start, expected, 0.01 * expected) << rate;
  }
}

// For a minute, at 0.99 of the static coefficient.
TEST_F(BodyFriction, a_body_at_rest_does_not_creep) {
  for (const double rate : {250.0, 1000.0}) {
    SolidsWorld world(on_slope(rate, 0.99 * kStatic), nullptr);
    hold(world, {}, static_cast<int>(1.0 * rate));
    const double after = position(world, 2).x();
    hold(world, {}, static_cast<int>(59.0 * rate));
    EXPECT_LE(std::abs(position(world, 2).x() - after), 1e-9) << rate;
  }
}

// Thrown uphill it stops, turns round within a step, and stays.
TEST_F(BodyFriction, a_body_that_turns_round_sticks) {
  for (const double rate : kFrictionRates) {
    for (const auto& [v, tangent] : {std::pair{0.05, 0.4}, {0.3, 0.4}, {0.3, 0.99 * kStatic}}) {
      const double a = std::atan(tangent);
      SolidsWorld world(on_slope(rate, tangent, -v), nullptr);
      hold(world, {}, static_cast<int>(1.5 * rate));
      const double way = 0.5 * v * v / (kG * (std::sin(a) + kDynamic * std::cos(a)));
      // One step of v more or less.
      EXPECT_NEAR(-position(world, 2).x(), way, 0.02 * way + v / rate + 1e-4) << rate << " " << v;
      EXPECT_LE(std::abs(speed(world)), 1e-9) << rate << " " << v;
    }
  }
}

// With both coefficients alike, nothing else decides.
TEST_F(BodyFriction, sliding_with_dynamic_friction_stops_where_it_should) {
  for (const double rate : kFrictionRates) {
    SolidsWorld world(on_slope(rate, 0.0, 0.3), nullptr);
    hold(world, {}, static_cast<int>(1.0 * rate));
    const double way = 0.5 * 0.3 * 0.3 / (kG * kDynamic);
    EXPECT_NEAR(position(world, 2).x(), way, 0.02 * way + 0.3 / rate) << rate;
    EXPECT_LE(std::abs(speed(world)), 1e-9) << rate;
  }
}

// Breaking away takes mu_s N of the whole body: gravity tilts slowly.
TEST_F(BodyFriction, rigid_bodies_break_away_as_a_whole) {
  for (const double rate : kFrictionRates) {
    double breaks = 0.0;
    for (double tangent = 0.9 * kStatic; tangent < 1.1 * kStatic; tangent += 0.01 * kStatic) {
      SolidsWorld world(on_slope(rate, tangent), nullptr);
      hold(world, {}, static_cast<int>(0.2 * rate));
      if (std::abs(position(world, 2).x()) < 1e-4) continue;
      breaks = tangent;
      break;
    }
    EXPECT_NEAR(breaks, kStatic, 0.03 * kStatic) << rate;
  }
}

}  // namespace
}  // namespace haptic::solids
