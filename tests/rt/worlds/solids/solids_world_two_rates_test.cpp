// A servo at a higher rate than its world of solids: the response of the held body within a step.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rt/servo/two_rate_world.h"
#include "tests/rt/worlds/hand_in_air.h"
#include "tests/rt/worlds/motion_by_hand.h"
#include "tests/rt/worlds/pressing_hand.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/rt/worlds/standing_still.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

/// A ball in the hand over a plane of points on springs, or of fixed points, whose normal is y.
class SolidsTwoRates : public SolidsWorldTest {
 protected:
  static constexpr double kPeriod = PressingHand::kPeriod;

  static Scene pressed(const char* model, double stiffness, double rate) {
    Scene scene = ball_over(model);
    const double c = std::sqrt(0.5);
    scene.bodies[0].pose.orientation = Quaternion(c, -c, 0.0, 0.0);
    scene.bodies[1].pose.position = Vector3(0.0, kRadius, 0.0);
    scene.rate_hz = rate;
    scene.coupling.stiffness = stiffness;
    scene.limits.force = 20.0;
    return scene;
  }
  static TwoRateWorld::Settings settings(double rate) {
    TwoRateWorld::Settings settings;
    settings.cycles_per_step = static_cast<std::uint32_t>(std::lround(1.0 / (kPeriod * rate)));
    settings.world_rate_hz = rate;
    return settings;
  }

  /// Sum of the changes of the force from cycle to cycle over that of its whole rise, 1 if it only
  /// rises: of the last half of a press of 10 mm at 20 mm/s.
  static double variation(World& world, double rate) {
    TwoRateWorld servo(world, settings(rate), nullptr);
    WorldOutput output;
    constexpr int kCycles = 2000;
    double last = 0.0, first = 0.0, sum = 0.0;
    for (int i = 0; i < kCycles; ++i) {
      EXPECT_EQ(servo.step(hand_at(0.0, -0.02 * kPeriod * i, 0.0), output), WorldStatus::kOk);
      const double force = output.device_wrench.force.y();
      if (i == kCycles / 2) first = force;
      if (i > kCycles / 2) sum += std::abs(force - last);
      last = force;
    }
    return sum / (last - first);
  }
};

// Without the response, 0.6 m/s under 400 N/m were up to 4.8 N at 100 Hz.
TEST_F(SolidsTwoRates, a_hand_in_the_air_feels_nothing) {
  for (const double rate : {100.0, 250.0, 1000.0}) {
    Scene scene = pressed("plane.h5", 400.0, rate);
    scene.coupling.max_speed = 5.0;
    scene.coupling.max_angular_speed = 50.0;
    scene.bodies[1].pose.position.y() += 0.05;
    SolidsWorld world(scene, nullptr);
    const HandInAir most = move_in_air(world, rate, static_cast<std::uint32_t>(4000.0 / rate));
    EXPECT_LT(most.force, 1e-9) << rate;
    EXPECT_LT(most.torque, 1e-9) << rate;
  }
}

// What the world has not met yet stops the rendered body: it may touch the plane, not enter it.
TEST_F(SolidsTwoRates, the_rendered_body_stops_at_what_the_world_has_not_met) {
  for (const double rate : {100.0, 250.0, 1000.0}) {
    Scene scene = pressed("plane.h5", 400.0, rate);
    scene.bodies[1].pose.position.y() += 0.0203;
    SolidsWorld world(scene, nullptr);
    const double lowest =
        lowest_before_contact(world, rate, static_cast<std::uint32_t>(4000.0 / rate), 0.04);
    EXPECT_GE(lowest, kRadius - 1e-9) << rate;
    EXPECT_LT(lowest, kRadius + 0.3 / rate) << rate;
  }
}

// Without static damping the next step goes all the way to the balance of coupling and contact, and
// its derivative by the hand is the response: by central differences of 0.1 um and 10 urad. The
// normals turn as the ball does, which the step leaves out. Sliding friction follows the normal
// force in the step, with a lag, and not in the response.
TEST_F(SolidsTwoRates, the_response_is_the_derivative_of_the_step) {
  for (const char* const model : {"plane.h5", "soft.h5"}) {
    for (const double friction : {0.0, 0.8}) {
      for (const bool dynamic : {false, true}) {
        Scene scene = pressed(model, 400.0, 1000.0);
        scene.coupling.static_damping = 0.0;
        scene.coupling.max_speed = 20.0;
        if (dynamic) scene.coupling.mode = CouplingMode::kDynamic;
        edit_solids(scene).contacts[0].settings.friction = {friction, friction};
        SolidsWorld world(scene, nullptr);
        motion_by_hand(world, 1e-5, 0.0, Vector6::Zero());
        HeldResponse response;
        {
          const NoAllocation guard;
          response = world.held_response();
        }
        ASSERT_TRUE(response.moves()) << model;
        const Matrix6 Y = response.free + response.contact;
        const Matrix6 slopes = slopes_by_hand(world, 1e-5, 0.0);
        for (int axis = 0; axis < 6; ++axis) {
          const Vector6 off = Y.col(axis) - slopes.col(axis);
          EXPECT_LT(off.head<3>().norm(), 3e-3 * (axis < 3 ? 1.0 : 0.02))
              << model << " mu " << friction << " dynamic " << dynamic << " axis " << axis;
          EXPECT_LT(off.tail<3>().norm(), 3e-3 * (axis < 3 ? 50.0 : 1.0))
              << model << " mu " << friction << " dynamic " << dynamic << " axis " << axis;
        }
      }
    }
  }
}

// Above the plane it goes as far as the clearance, of which the search in a grid knows a half at
// least. A mass stays where it is, and so does what a typed static damping brakes.
TEST_F(SolidsTwoRates, without_contact_the_body_follows_within_its_clearance) {
  Scene scene = pressed("plane.h5", 400.0, 1000.0);
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 1e-4, 0.0), 3);
  EXPECT_GT(world.held_response().max_motion, 0.5e-4);
  EXPECT_LE(world.held_response().max_motion, 1e-4 + 1e-12);
  EXPECT_EQ(world.held_response().late, Vector6::Zero());
  scene.coupling.mode = CouplingMode::kDynamic;
  SolidsWorld mass(scene, nullptr);
  hold(mass, hand_at(0.0, 1e-4, 0.0), 3);
  EXPECT_FALSE(mass.held_response().moves());
  scene.coupling.mode = CouplingMode::kStatic;
  scene.coupling.static_damping = 0.5;
  SolidsWorld damped(scene, nullptr);
  hold(damped, hand_at(0.0, 1e-4, 0.0), 3);
  EXPECT_FALSE(damped.held_response().moves());
  hold(world, hand_at(0.0, -1e-3, 0.0), 100);
  EXPECT_TRUE(world.held_response().moves());
}

// A held body that stands still lets the force rise within a step by k v T a cycle, and fall at the
// step. With its response the force rises as with one rate. The points come into contact one by
// one, which is 0.1 to 0.3 of the rise; the body on springs swings on, which one rate shows as
// well.
TEST_F(SolidsTwoRates, the_force_of_a_steady_press_has_no_staircase) {
  for (const char* const model : {"plane.h5", "soft.h5"}) {
    for (const double rate : {250.0, 1000.0}) {
      for (const double stiffness : {400.0, 2000.0}) {
        const Scene scene = pressed(model, stiffness, rate);
        SolidsWorld with(scene, nullptr), inner(scene, nullptr);
        StandingStill without(inner);
        const double smooth = variation(with, rate), steps = variation(without, rate);
        EXPECT_LT(smooth, 0.97 * steps) << model << " " << rate << " " << stiffness;
        if (std::string(model) == "plane.h5") {
          EXPECT_LT(smooth, 1.3) << rate << " " << stiffness;
        }
        if (stiffness == 2000.0) {
          EXPECT_LT(smooth, 0.5 * steps) << model << " " << rate;
        }
      }
    }
  }
}

// A damping above k T / 2, with the coupling's stiffness k and the servo's period T. What still
// moves after 6 s does so about as much with a held body that stands still within a step: a light
// hand on a stiff coupling to a slow world.
TEST_F(SolidsTwoRates, a_light_hand_is_passive_and_comes_to_rest) {
  for (const char* const model : {"plane.h5", "soft.h5"}) {
    for (const double rate : {250.0, 1000.0}) {
      for (const double stiffness : {400.0, 2000.0}) {
        for (const double mass : {0.02, 0.1}) {
          SolidsWorld world(pressed(model, stiffness, rate), nullptr);
          const PressingHand start{.mass = mass,
                                   .damping = 1.0,
                                   .cycles = static_cast<int>(settings(rate).cycles_per_step),
                                   .sampled = 0.5 * stiffness * kPeriod};
          const PressingHand hand = press(world, start, 6.0);
          SolidsWorld inner(pressed(model, stiffness, rate), nullptr);
          StandingStill still(inner);
          const double reference = press(still, start, 6.0).last_speed;
          EXPECT_GE(hand.least_energy, -1e-15)  // rounding
              << model << " " << rate << " " << stiffness << " " << mass;
          EXPECT_LT(hand.last_speed, std::max(1e-3, 1.3 * reference))
              << model << " " << rate << " " << stiffness << " " << mass;
        }
      }
    }
  }
}

}  // namespace
}  // namespace haptic::solids
