// A bolt in the thread of a nut: at rest, driven in and out, stuck by friction.
// Numbers M..: docs/methods/multibody.md, "Acceptance tests".

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/rt/worlds/solids/screw_fixture.h"

namespace haptic::solids {
namespace {

// At 30 Hz, too.
TEST_F(Screw, a_bolt_rests_in_its_hole) {
  for (const double rate : {500.0, 100.0, 30.0}) {
    Threaded of = bolt_in_nut(0.3);
    of.scene.rate_hz = rate;
    SolidsWorld world(of.scene, nullptr);
    hold(world, {}, static_cast<int>(rate));
    const Pose settled = world.poses()[of.bolt];
    // It falls through the play of the thread and stays upright.
    EXPECT_NEAR(settled.position.z(), -kClearance / kFlankSlope, 3e-5) << rate;
    EXPECT_LE(rotation_logarithm(settled.orientation).norm(), 0.01) << rate;
    for (int i = 0; i < 10.0 * rate; ++i) {
      hold(world, {}, 1);
      const Pose& now = world.poses()[of.bolt];
      ASSERT_LE((now.position - settled.position).norm(), 1e-12) << rate << " " << i;
      const Quaternion turned = now.orientation * settled.orientation.conjugate();
      ASSERT_LE(rotation_logarithm(turned).norm(), 1e-10) << rate << " " << i;
    }
  }
}

// Without friction it turns itself down: z'' = -g / (1 + I / m (2 pi / p)^2).
TEST_F(Screw, a_bolt_without_friction_turns_down_by_its_weight) {
  Threaded of = bolt_in_nut(0.0);
  SolidsWorld world(of.scene, nullptr);
  hold(world, {}, 60);
  const double z = world.poses()[of.bolt].position.z(), from = angle(world, of.bolt);
  const double v = world.free_bodies()[0]->twist().linear.z();
  const double lead = kPitch / (2.0 * kPi), time = 0.15;
  hold(world, {}, 150);
  const double sunk = world.poses()[of.bolt].position.z() - z;
  const double slowed = 1.0 + 0.5 * kRadius * kRadius / (lead * lead);
  // It tumbles in the play of the thread, and damped impacts take a part of its energy.
  const double expected = v * time - 0.5 * kG / slowed * time * time;
  EXPECT_LE(sunk, 0.9 * expected);
  EXPECT_GE(sunk, 1.001 * expected);
  EXPECT_NEAR(sunk, lead * (angle(world, of.bolt) - from), 0.01 * std::abs(sunk));
}

/// Torque that turns a screw of lead tan(l) under a weight at the radius r of its contact, with
/// flanks at the angle a from the radial plane: W r (mu' -+ tan l) / (1 +- mu' tan l), where
/// mu' = mu / cos a. The upper signs lower, the other ones lift.
double critical_torque(double weight, double r, double pitch, double tan_flank, double mu,
                       bool lowers) {
  const double lead = pitch / (2.0 * std::numbers::pi * r);
  const double steeper = mu * std::sqrt(1.0 + tan_flank * tan_flank / (1.0 + lead * lead));
  return lowers ? weight * r * (steeper - lead) / (1.0 + steeper * lead)
                : weight * r * (steeper + lead) / (1.0 - steeper * lead);
}

/// What goes on from one world to the next, in which friction or torque is another.
struct Motion {
  Pose bolt, weight;
  Twist bolt_velocity, weight_velocity;
};

class DrivenScrew : public Screw {
 protected:
  static double critical(double mu, bool lowers) {
    // Of the flanks' middle: the contact's mean radius is 5.34 mm.
    const double radius = kRadius - 0.41 * kDepth;
    return critical_torque((kMass + kBoltMass) * kG, radius, kPitch, 1.0 / kFlankSlope, mu, lowers);
  }
  struct Run {
    double fastest = 0.0;  ///< spin in the second half of the time, and least [rad/s]
    double slowest = 1e9;
    Motion end;
  };
  /// Turns the bolt by a constant torque for some steps. @param torque  < 0 lowers [N m]
  static Run run(double mu, double torque, int steps, const Motion* start = nullptr) {
    // A servo with its target far away has the torque of its limit.
    Driven of = driven_bolt(mu, {1.0, 0.0, std::max(std::abs(torque), 1e-12)});
    edit_solids(of.scene).joints.back().settings.target = torque < 0.0 ? -1e3 : 1e3;
    if (start != nullptr) {
      of.scene.bodies[of.bolt].pose = start->bolt;
      of.scene.bodies[of.bolt].velocity = start->bolt_velocity;
      of.scene.bodies[of.weight].pose = start->weight;
      of.scene.bodies[of.weight].velocity = start->weight_velocity;
    }
    SolidsWorld world(of.scene, nullptr);
    Run result;
    for (int i = 0; i < steps; ++i) {
      hold(world, {}, 1);
      if (i < steps / 2) continue;
      result.fastest = std::max(result.fastest, std::abs(spin(world)));
      result.slowest = std::min(result.slowest, std::abs(spin(world)));
    }
    result.end = {world.poses()[of.bolt], world.poses()[of.weight], world.free_bodies()[0]->twist(),
                  world.free_bodies()[1]->twist()};
    return result;
  }
};

constexpr double kStuck = 1e-3, kTurns = 10.0 * kStuck;  // rad/s

TEST_F(DrivenScrew, the_torque_that_turns_a_screw_is_that_of_the_wedge) {
  for (const double mu : {0.2, 0.4}) {
    for (const bool lowers : {true, false}) {
      const double torque = (lowers ? -1.0 : 1.0) * critical(mu, lowers);
      EXPECT_LT(run(mu, 0.95 * torque, 200).fastest, kStuck) << mu << lowers;
      // Ends before the bolt has left the nut: beyond, the servo spins it to the largest rotation.
      const Run turns = run(mu, 1.05 * torque, 150);
      EXPECT_GT(turns.fastest, kTurns) << mu << lowers;
      EXPECT_LT(std::abs(turns.end.bolt.position.z()), 0.5 * (kBoltLength + kNutHeight));
    }
  }
}

TEST_F(DrivenScrew, sticks_and_turns_as_torque_and_friction_are_raised) {
  const double rough = 0.4, smooth = 0.2;
  const double low = 0.8 * critical(smooth, true), high = 1.2 * critical(smooth, true);
  const double highest = 1.2 * critical(rough, true);
  ASSERT_LT(high, 0.8 * critical(rough, true));
  const Run a = run(smooth, 0.0, 200);
  EXPECT_LT(a.fastest, kStuck);
  const Run b = run(smooth, -low, 200, &a.end);
  EXPECT_LT(b.fastest, kStuck);
  const Run c = run(smooth, -high, 80, &b.end);
  EXPECT_GT(c.slowest, kTurns);
  const Run d = run(rough, -high, 100, &c.end);
  EXPECT_LT(d.fastest, kStuck);
  const Run e = run(rough, -highest, 60, &d.end);
  EXPECT_GT(e.slowest, kTurns);
  EXPECT_LT(e.end.bolt.position.z(), d.end.bolt.position.z() - 1e-3);
}

TEST_F(Screw, a_servo_drives_in_and_out_at_its_speed) {
  Driven of = driven_bolt(0.2, {1.0, 1e-3, 0.1});
  edit_solids(of.scene).dynamics.material_ramp_s = 0.5;
  SolidsWorld world(of.scene, nullptr);
  const std::size_t target = parameter(world, "joint1.target");
  hold(world, {}, 200);
  double from = 0.0;
  for (const double to : {-5.0, 5.0, 0.0}) {
    const double z = world.poses()[of.bolt].position.z(), speed = (to - from) / 0.5;
    EXPECT_TRUE(world.set_parameter(target, to));
    hold(world, {}, 50);
    for (int i = 50; i < 500; ++i) {
      hold(world, {}, 1);
      EXPECT_NEAR(spin(world), speed, 0.1 * std::abs(speed)) << to << " " << i;
    }
    hold(world, {}, 300);
    EXPECT_LT(std::abs(spin(world)), kStuck);
    EXPECT_NEAR(angle(world, of.bolt), to, 0.02);  // friction over the servo's stiffness: 0.01
    // Down or up by the pitch, less the play where it turns back.
    EXPECT_NEAR(world.poses()[of.bolt].position.z() - z, kPitch * (to - from) / (2.0 * kPi),
                1.5e-4);
    from = to;
  }
}

}  // namespace
}  // namespace haptic::solids
