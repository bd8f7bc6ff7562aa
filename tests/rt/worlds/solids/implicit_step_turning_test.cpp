// Friction against rolling and against spinning about the normal.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"
#include "tests/rt/worlds/solids/spiral_ball.h"

namespace haptic::solids {
namespace {

constexpr double kTurningRates[] = {250.0, 1000.0, 4000.0};

class TurningFriction : public FreeBodies {
 protected:
  static constexpr double kR = 0.02;

  static void SetUpTestSuite() {
    FreeBodies::SetUpTestSuite();
    write_rigid_shape(folder_ / "roller.h5", spiral_ball(6000, kR));
  }

  /// A ball on a slope of tangent `slope`, x downhill, as deep as it rests there.
  static Scene on_slope(double rate, double slope, const Twist& velocity, double rolling,
                        double spinning, double mu = 0.5, double damping = 0.0) {
    const double a = std::atan(slope);
    Scene scene = ground({kG * std::sin(a), 0.0, -kG * std::cos(a)});
    scene.rate_hz = rate;
    const std::size_t ball = add(scene, "roller.h5", {0.0, 0.0, kR - 2e-5}, velocity);
    touch(scene, ball, 0, 1000.0, damping, {mu, mu, {}});
    edit_solids(scene).contacts.back().rolling_friction = rolling;
    edit_solids(scene).contacts.back().spinning_friction = spinning;
    return scene;
  }
  static Twist twist(const SolidsWorld& world) { return world.free_bodies()[0]->twist(); }
};

// On the level, the centre slows down with 5/7 g mu_r / R; it stops, stays and never turns back.
TEST_F(TurningFriction, a_rolling_ball_slows_down_and_stops_for_good) {
  const double arm = 2e-3, v = 0.5, slows = 5.0 / 7.0 * kG * arm / kR;
  for (const double rate : kTurningRates) {
    SolidsWorld world(on_slope(rate, 0.0, {{v, 0.0, 0.0}, {0.0, v / kR, 0.0}}, arm, 0.0), nullptr);
    const double time = 0.4;
    hold(world, {}, static_cast<int>(time * rate));
    EXPECT_NEAR(v - twist(world).linear.x(), slows * time, 0.02 * slows * time) << rate;
    // What swings on when it stands still is that of springs, which damping takes.
    SolidsWorld damped(
        on_slope(rate, 0.0, {{v, 0.0, 0.0}, {0.0, v / kR, 0.0}}, arm, 0.0, 0.5, 20.0), nullptr);
    double least = 1.0;
    for (int i = 0; i < static_cast<int>(1.5 * rate); ++i) {
      hold(damped, {}, 1);
      least = std::min(least, twist(damped).angular.y());
    }
    EXPECT_GE(least * kR, -1e-4) << rate;
    hold(damped, {}, static_cast<int>(1.0 * rate));
    EXPECT_LE(twist(damped).linear.norm(), 1e-6) << rate;
    EXPECT_LE(twist(damped).angular.norm() * kR, 1e-6) << rate;
  }
}

// It sticks on a slope below mu_r / R, and rolls down beyond it with 5/7 (g sin a - g cos a mu_r /
// R).
TEST_F(TurningFriction, a_ball_sticks_on_a_slope_below_the_arm_over_its_radius) {
  const double arm = 2e-3;
  for (const double rate : kTurningRates) {
    SolidsWorld rests(on_slope(rate, 0.9 * arm / kR, {}, arm, 0.0), nullptr);
    hold(rests, {}, static_cast<int>(2.0 * rate));
    EXPECT_LE(position(rests, 2).head<2>().norm(), 1e-4) << rate;
    EXPECT_LE(twist(rests).linear.norm(), 1e-8) << rate;

    const double slope = 2.0 * arm / kR, a = std::atan(slope), time = 0.4;
    SolidsWorld rolls(on_slope(rate, slope, {}, arm, 0.0), nullptr);
    hold(rolls, {}, static_cast<int>(time * rate));
    const double expected = 5.0 / 7.0 * kG * (std::sin(a) - std::cos(a) * arm / kR) * time;
    EXPECT_NEAR(twist(rolls).linear.x(), expected, 0.03 * expected) << rate;
  }
}

// A ball that spins about the normal slows down with mu_s N / I, and stops.
TEST_F(TurningFriction, a_spinning_ball_slows_down_and_stops) {
  const double arm = 5e-4, w = 20.0, slows = arm * kG / (0.4 * kR * kR);
  for (const double rate : kTurningRates) {
    SolidsWorld world(on_slope(rate, 0.0, {Vector3::Zero(), {0.0, 0.0, w}}, 0.0, arm, 0.0),
                      nullptr);
    const double time = 0.5;
    hold(world, {}, static_cast<int>(time * rate));
    EXPECT_NEAR(w - twist(world).angular.z(), slows * time, 0.02 * slows * time) << rate;
    double least = w;
    for (int i = 0; i < static_cast<int>(1.0 * rate); ++i) {
      hold(world, {}, 1);
      least = std::min(least, twist(world).angular.z());
    }
    EXPECT_GE(least, -1e-4) << rate;
    EXPECT_LE(std::abs(twist(world).angular.z()), 1e-6) << rate;
  }
}

// Neither ever adds energy, also while the ball skids and turns about a slanted axis.
TEST_F(TurningFriction, they_never_create_energy) {
  for (const double rate : kTurningRates) {
    SolidsWorld world(on_slope(rate, 0.0, {{0.4, 0.2, 0.0}, {-10.0, 8.0, 25.0}}, 1e-3, 1e-3, 0.3),
                      nullptr);
    const FreeBody& ball = *world.free_bodies()[0];
    // The ball rests on springs of 1e5 N/m; what they store, and g h v of a step, is 1e-6 of it.
    double last = ball.energy();
    const double start = last;
    for (int i = 0; i < static_cast<int>(2.0 * rate); ++i) {
      hold(world, {}, 1);
      EXPECT_LE(ball.energy(), last + 1e-5 * start) << rate << " " << i;
      last = std::min(last, ball.energy());
    }
  }
}

TEST_F(TurningFriction, is_refused_for_a_body_that_deforms) {
  Scene scene = ground();
  scene.bodies.push_back({"soft", folder_ / "soft_ball.h5", BodyRole::kAnchored, {}});
  const std::size_t ball = add(scene, "marble.h5", {0.0, 0.0, 0.1});
  touch(scene, 2, ball, 1e3);
  edit_solids(scene).contacts.back().rolling_friction = 1e-3;
  EXPECT_NE(refusal(scene).find("which deforms"), std::string::npos) << refusal(scene);
}

}  // namespace
}  // namespace haptic::solids
