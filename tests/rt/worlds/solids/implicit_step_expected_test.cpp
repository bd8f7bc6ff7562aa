// What rolls and spins without a force along its motion keeps it: rolling, spinning, slopes.

#include <gtest/gtest.h>

#include <cmath>

#include "shared/math/pose.h"
#include "tests/rt/worlds/solids/free_bodies_fixture.h"
#include "tests/rt/worlds/solids/spiral_ball.h"

namespace haptic::solids {
namespace {

constexpr double kMotionRates[] = {250.0, 1000.0, 4000.0};

class MovingContact : public FreeBodies {
 protected:
  static constexpr double kRadius = 0.02;

  static void SetUpTestSuite() {
    FreeBodies::SetUpTestSuite();
    const RigidShape ball = spiral_ball(6000, kRadius);  // points 0.9 mm apart
    write_rigid_shape(folder_ / "smooth_ball.h5", ball);
    mass_ = ball.mass;
  }

  /// A ball over a plane, as deep as it rests there.
  static Scene ball_on_plane(double rate, const Twist& velocity, double mu, double damping,
                             const Vector3& gravity = {0.0, 0.0, -kG}) {
    Scene scene = ground(gravity);
    scene.rate_hz = rate;
    const std::size_t ball = add(scene, "smooth_ball.h5", {0.0, 0.0, kRadius - 2e-5}, velocity);
    touch(scene, ball, 0, 1000.0, damping, {mu, mu, {}});
    return scene;
  }
  static const FreeBody& ball(const SolidsWorld& world) { return *world.free_bodies()[0]; }

  inline static double mass_ = 0.0;
};

// Rolling on the level: the speed is constant. The rest, up to 0.8 % a second, is what points that
// come and go one by one take; a whole arm at the start of the step took 0.35 1/s at 1 kHz.
TEST_F(MovingContact, a_ball_rolls_on_at_any_rate_with_and_without_damping) {
  for (const double rate : kMotionRates) {
    for (const double damping : {0.0, 20.0}) {
      const double v = 0.6;
      SolidsWorld world(ball_on_plane(rate, {{v, 0.0, 0.0}, {0.0, v / kRadius, 0.0}}, 0.5, damping),
                        nullptr);
      hold(world, {}, static_cast<int>(rate));
      EXPECT_NEAR(ball(world).twist().linear.x(), v, 0.01 * v) << rate << " " << damping;
      EXPECT_NEAR(ball(world).twist().angular.y() * kRadius, v, 0.01 * v) << rate;
    }
  }
}

// A spin about a horizontal axis on a plane without friction is constant.
TEST_F(MovingContact, a_ball_spins_on_without_friction) {
  for (const double rate : kMotionRates) {
    const double w = 40.0;
    SolidsWorld world(ball_on_plane(rate, {{0.0, 0.0, 0.0}, {0.0, w, 0.0}}, 0.0, 0.0), nullptr);
    hold(world, {}, static_cast<int>(rate));
    EXPECT_NEAR(ball(world).twist().angular.y(), w, 0.005 * w) << rate;
    EXPECT_LE(ball(world).twist().linear.head<2>().norm(), 1e-3) << rate;
  }
}

// Down a slope of angle a without slip: 5/7 g sin a.
TEST_F(MovingContact, a_ball_rolls_down_a_slope_as_its_inertia_says) {
  for (const double rate : kMotionRates) {
    for (const double a : {0.1, 0.3}) {
      const Vector3 gravity(kG * std::sin(a), 0.0, -kG * std::cos(a));
      SolidsWorld world(ball_on_plane(rate, {}, 0.5, 0.0, gravity), nullptr);
      const double time = 0.4;
      hold(world, {}, static_cast<int>(time * rate));
      const double expected = 5.0 / 7.0 * kG * std::sin(a) * time;
      EXPECT_NEAR(ball(world).twist().linear.x(), expected, 0.01 * expected) << rate << " " << a;
    }
  }
}

// A ball of three times the density rolls on a free plate on a plane without friction: momentum and
// angular momentum of both together are those of the start, and neither brakes the other.
TEST_F(MovingContact, two_free_bodies_keep_their_angular_momentum) {
  write_solid_box(folder_ / "plate.h5", {0.2, 0.2, 0.01}, 2000.0, 40);
  for (const double rate : kMotionRates) {
    Scene scene = ground(Vector3::Zero());
    scene.rate_hz = rate;
    const std::size_t plate = add(scene, "plate.h5", {0.0, 0.0, 0.0});
    const std::size_t ball = add(scene, "smooth_ball.h5", {0.03, 0.01, 0.01 + kRadius - 1e-4},
                                 {{0.4, 0.1, -0.2}, {3.0, 20.0, 1.0}});
    touch(scene, ball, plate, 1000.0, 5.0, {0.5, 0.5, {}});
    SolidsWorld world(scene, nullptr);
    const auto total = [&] {
      Vector3 sum = Vector3::Zero();
      for (const auto& body : world.free_bodies()) {
        sum += body->angular_momentum() + body->centre().cross(body->momentum());
      }
      return sum;
    };
    const Vector3 start = total();
    int touching = 0;
    for (int i = 0; i < static_cast<int>(0.3 * rate); ++i) {
      hold(world, {}, 1);
      touching += state_value(world, "contact/points") > 0.0;
    }
    EXPECT_GT(touching, 1) << rate;
    EXPECT_LE((total() - start).norm(), 1e-12 * start.norm()) << rate;
  }
}

// A ball that lies in a ring in the hand goes along with it: its motion relative to the ring
// counts, not that in the world, which at 100 Hz goes past the ring's middle in a step.
TEST_F(MovingContact, a_ball_that_the_hand_carries_in_a_ring_stays_where_it_lies) {
  for (const double rate : {100.0, 250.0, 1000.0}) {
    Scene scene = ground();
    scene.rate_hz = rate;
    const double ring = 0.015, tube = 0.006;
    scene.bodies[1].model = AnalyticShape{ShapeKind::kTorus, {ring, tube, 0.0}};
    scene.bodies[1].pose.position = {0.0, 0.0, 0.5};
    scene.coupling.stiffness = 1e4;
    scene.coupling.rotational_stiffness = 100.0;
    scene.limits.force = 100.0;
    scene.limits.torque = 10.0;
    const double height = std::sqrt((kRadius + tube) * (kRadius + tube) - ring * ring);
    const std::size_t ball = add(scene, "smooth_ball.h5", {0.0, 0.0, 0.5 + height});
    touch(scene, ball, 1, 2e3, 20.0, {0.3, 0.3, {}});
    SolidsWorld world(scene, nullptr);
    double x = 0.0;  // of the hand
    const auto run = [&](double seconds, double v) {
      double most = 0.0;
      for (int i = 0; i < static_cast<int>(seconds * rate); ++i) {
        x += v / rate;
        hold(world, hand_at(x, 0.0, 0.0), 1);
        most = std::max(most, std::abs(position(world, ball).x() - position(world, 1).x()));
      }
      return most;
    };
    run(0.5, 0.0);
    for (double v = 0.0; v < 0.5; v += 0.05) run(0.05, v);
    run(0.2, 0.5);
    // Read where the ball is in the world after the step, the normals drove it by 0.12 mm at 250
    // Hz.
    EXPECT_LT(run(0.3, 0.5), 1e-5) << rate;
  }
}

}  // namespace
}  // namespace haptic::solids
