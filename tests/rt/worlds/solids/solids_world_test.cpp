// The world of solids against closed forms: equilibria, third law, limits.

#include "rt/worlds/solids/solids_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "rt/worlds/body_blocks.h"
#include "rt/worlds/solids/contact_blocks.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"

namespace haptic::solids {
namespace {

TEST_F(SolidsWorldTest, starts_with_the_held_body_at_the_hand_and_follows_it) {
  Scene scene = ball_over("plane.h5");
  scene.length_scale = 3.0;
  scene.bodies[1].pose.orientation = rotation_exponential({0.0, 0.0, 0.7});
  SolidsWorld world(scene, nullptr);
  DeviceState hand = hand_at(0.01, -0.02, 0.05);
  hand.pose.orientation = rotation_exponential({0.4, 0.0, 0.0});
  const WorldOutput output = hold(world, hand, 1);
  EXPECT_LE((output.held_pose.position - Vector3(0.03, -0.06, 0.15 + kRadius)).norm(), 1e-15);
  const Quaternion expected = hand.pose.orientation * scene.bodies[1].pose.orientation;
  EXPECT_LE(output.held_pose.orientation.angularDistance(expected), 1e-15);
  EXPECT_LE(output.device_wrench.force.norm(), 1e-12);
  EXPECT_EQ(state_value(world, "contact/points"), 0.0);
  EXPECT_EQ(world.bodies()[1].held, true);
  EXPECT_EQ(world.bodies()[0].held, false);
  EXPECT_EQ(world.poses()[1].position, output.held_pose.position);

  hand.pose.position.x() += 1e-3;  // 3 mm simulated: at 0.6 m/s * 3 two cycles and then halvings
  EXPECT_LE((hold(world, hand, 50).held_pose.position - output.manipulandum_pose.position).norm(),
            3.1e-3);
  EXPECT_LE(hold(world, hand, 50).device_wrench.force.norm(), 1e-9);
}

TEST_F(SolidsWorldTest, one_point_contact_in_series_with_the_coupling) {
  for (const double scale : {1.0, 2.0}) {
    Scene scene = ball_over("point.h5");
    scene.length_scale = scale;
    edit_solids(scene).contacts[0].settings.stiffness = 300.0;
    scene.coupling.permitted_depth = 1.0;  // never saturates
    SolidsWorld world(scene, nullptr);
    hold(world, hand_at(0.0, 0.0, 1e-3), 10);
    const double push = 0.5e-3;
    const WorldOutput output = hold(world, hand_at(0.0, 0.0, -push), 120);
    ASSERT_EQ(state_value(world, "contact/points"), 1.0);
    // Simulated stiffness of the two springs; a metre of hand is `scale` metres there.
    const double rendered = 1.0 / (1.0 / 300.0 + 1.0 / 400.0);
    // The field is sampled in float: 1e-9 m of 0.02, times the stiffness.
    EXPECT_NEAR(output.device_wrench.force.z(), rendered * scale * push, 1e-6);
    EXPECT_NEAR(output.contact_wrench.force.z(), output.device_wrench.force.z(), 1e-9);
    EXPECT_LE(output.device_wrench.force.head<2>().norm(), 1e-9);
  }
}

TEST_F(SolidsWorldTest, depth_stays_at_the_permitted_depth) {
  Scene scene = ball_over("point.h5");
  const double permitted = 0.5 * kRadius;
  scene.coupling.permitted_depth = permitted;
  SolidsWorld world(scene, nullptr);
  EXPECT_DOUBLE_EQ(world.coupling().force.maximum, 200.0 * permitted);
  hold(world, hand_at(0.0, 0.0, 1e-3), 10);
  const double r_lin = world.coupling().force.maximum / 800.0;
  hold(world, hand_at(0.0, 0.0, -100.0 * r_lin), 400);
  ASSERT_EQ(world.pairs()[0].contact.contacts().size(), 1U);
  const double depth = world.pairs()[0].contact.contacts()[0].depth;
  EXPECT_LE(depth, 1.01 * permitted);
  EXPECT_GE(depth, 0.99 * permitted);

  scene.coupling.permitted_depth.reset();
  edit_solids(scene).dynamics.implicit_contact = false;
  EXPECT_DOUBLE_EQ(SolidsWorld(scene, nullptr).coupling().force.maximum,
                   200.0 * world.model(1).field->edge());
}

// Up to the limit of the force, the body gets what the hand feels, and no more beyond it; the
// accuracy is that with which the ball rests.
TEST_F(SolidsWorldTest, the_hand_feels_what_the_body_gets_up_to_the_limit) {
  for (const double stiffness : {100.0, 1e3, 1e5}) {
    Scene scene = ball_over("plane.h5");
    edit_solids(scene).contacts[0].settings.stiffness = stiffness;
    scene.limits.force = 3.0;
    scene.limits.torque = 0.2;
    SolidsWorld world(scene, nullptr);
    EXPECT_EQ(world.coupling().force.maximum, 3.0);
    EXPECT_EQ(world.coupling().torque.maximum, 0.2);
    hold(world, hand_at(0.0, 0.0, 1e-3), 10);
    int within = 0, beyond = 0;
    for (double depth = 0.5e-3; depth < 30e-3; depth += 1e-3) {
      const WorldOutput output = hold(world, hand_at(0.0, 0.0, -depth), 400);
      const double felt = output.device_wrench.force.norm();
      const double given = output.contact_wrench.force.norm();
      if (felt <= 3.0) {
        ++within;
        EXPECT_NEAR(given, felt, 1e-6 * felt) << stiffness << " " << depth;
      } else {
        ++beyond;
        EXPECT_NEAR(given, 3.0, 1e-6) << stiffness << " " << depth;
      }
    }
    EXPECT_GT(within, 5) << stiffness;
    EXPECT_GT(beyond, 5) << stiffness;
  }
}

TEST_F(SolidsWorldTest, saturation_is_the_force_over_the_largest_simulated_one) {
  Scene scene = ball_over("point.h5");
  scene.coupling.permitted_depth = 0.5 * kRadius;
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 100);
  EXPECT_NEAR(state_value(world, "coupling/saturation"), 0.0, 1e-6);
  // Spring and contact of one point in series, half of the largest force.
  const double force = 0.5 * world.coupling().force.maximum;
  hold(world, hand_at(0.0, 0.0, -force / 200.0 - force / world.coupling().force.stiffness), 400);
  EXPECT_NEAR(state_value(world, "coupling/saturation"), 0.5, 1e-3);
  hold(world, hand_at(0.0, 0.0, -0.1), 400);
  EXPECT_NEAR(state_value(world, "coupling/saturation"), 1.0, 1e-6);
}

// At rest the contacts push the held body as hard as the coupling does.
TEST_F(SolidsWorldTest, excess_is_by_how_much_the_hand_feels_more_than_the_contacts_get) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double permitted : {0.002, 0.01, 1.0}) {
      Scene scene = ball_over("point.h5");
      scene.rate_hz = rate;
      scene.coupling.permitted_depth = permitted;
      scene.limits.force = 2.0;
      SolidsWorld world(scene, nullptr);
      hold(world, hand_at(0.0, 0.0, 1e-3), 10);
      EXPECT_EQ(state_value(world, "coupling/excess"), 0.0);
      for (const double depth : {0.002, 0.005, 0.008}) {
        const int cycles = static_cast<int>(rate);
        const WorldOutput output = hold(world, hand_at(0.0, 0.0, -depth), cycles);
        const double felt = std::min(output.device_wrench.force.norm(), scene.limits.force);
        const double given = output.contact_wrench.force.norm();
        // 1e-3: what is left of the approach to the equilibrium after a second.
        EXPECT_NEAR(state_value(world, "coupling/excess"), std::max(0.0, felt / given - 1.0), 1e-3)
            << rate << " Hz, permitted " << permitted << " m, " << depth << " m";
      }
    }
  }
}

TEST_F(SolidsWorldTest, a_coupling_that_saturates_below_the_limit_of_the_force_is_named) {
  Scene scene = ball_over("point.h5");
  scene.limits.force = 2.0;
  const auto named = [&] {
    const std::vector<std::string> lines = SolidsWorld(scene, nullptr).warnings();
    return std::ranges::any_of(lines, [](const std::string& line) {
      return line.starts_with("coupling: bodies get at most");
    });
  };
  scene.coupling.permitted_depth = 0.009;  // 1.8 N of a point of 200 N/m
  EXPECT_TRUE(named());
  scene.coupling.permitted_depth = 0.011;
  EXPECT_FALSE(named());
}

TEST_F(SolidsWorldTest, speed_is_one_where_the_held_body_cannot_follow_the_hand) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    Scene scene = ball_over("point.h5");
    scene.rate_hz = rate;
    scene.coupling.static_damping = 0.0;
    scene.coupling.max_speed = 0.4;
    SolidsWorld world(scene, nullptr);
    double height = 1e-3;
    hold(world, hand_at(0.0, 0.0, height), 10);
    for (const double speed : {0.1, 0.39, 0.5}) {
      for (int i = 0; i < 20; ++i) {
        height += speed / rate;
        hold(world, hand_at(0.0, 0.0, height), 1);
      }
      EXPECT_NEAR(state_value(world, "coupling/speed"), std::min(1.0, speed / 0.4), 1e-6)
          << rate << " Hz, " << speed << " m/s";
    }
    hold(world, hand_at(0.0, 0.0, height), 200);
    EXPECT_NEAR(state_value(world, "coupling/speed"), 0.0, 1e-6);
  }
}

TEST_F(SolidsWorldTest, roles_swap_points_in_the_hand_against_an_anchored_field) {
  Scene scene = ball_over("ball.h5");
  scene.bodies[0].pose.position.z() = -kRadius;
  edit_solids(scene).contacts = {
      {1, 0, {200.0}}};  // the held ball's points against the lower ball's field
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 10);
  const WorldOutput pushed = hold(world, hand_at(0.0, 0.0, -1e-3), 300);
  EXPECT_GT(state_value(world, "contact/points"), 0.0);
  EXPECT_GT(pushed.device_wrench.force.z(), 0.01);
  EXPECT_GT(pushed.held_pose.position.z(), pushed.manipulandum_pose.position.z());
}

TEST_F(SolidsWorldTest, reduced_force_is_the_projected_reaction_of_the_contacts) {
  Scene scene = ball_over("soft.h5");
  const Quaternion turned = rotation_exponential({0.2, -0.1, 0.9});
  scene.bodies[0].pose.orientation = turned;
  edit_solids(scene).dynamics.implicit_contact = false;  // forces of the touch
  SolidsWorld world(scene, nullptr);
  int touched = 0;
  for (int i = 0; i < 2000; ++i) {
    WorldOutput output;
    ASSERT_EQ(world.step(stroke(i), output), WorldStatus::kOk);
    Vector3 on_held = Vector3::Zero();
    for (const Contact& contact : world.pairs()[0].contact.contacts()) on_held += contact.force;
    EXPECT_LE((on_held - output.contact_wrench.force).norm(), 1e-12);
    // U_s = 2 I for every point: U^T R^T (-F), all in the plane's frame.
    const Vector3 expected = -2.0 * (turned.conjugate() * on_held);
    const Vector3 reduced(world.reduced_forces()[0], world.reduced_forces()[1],
                          world.reduced_forces()[2]);
    EXPECT_LE((reduced - expected).norm(), 1e-12 * (1.0 + expected.norm()));
    touched += state_value(world, "contact/points") > 0.0;
  }
  EXPECT_GT(touched, 500);
}

TEST_F(SolidsWorldTest, the_contact_blocks_are_what_the_touch_of_the_cycle_counted) {
  Scene scene = ball_over("soft.h5");
  edit_solids(scene).dynamics.implicit_contact = false;
  SolidsWorld world(scene, nullptr), touched(scene, nullptr);
  hold(world, stroke(0), 1);
  double most_points = 0.0;
  for (int i = 1; i < 2000; ++i) {
    // A step touches the bodies where the step before left them.
    const std::array motions = {BodyMotion{.pose = world.poses()[0], .q = world.coordinates()},
                                BodyMotion{.pose = world.poses()[1]}};
    const ContactSet::Sum expected = touched.contacts().touch(motions);
    hold(world, stroke(i), 1);
    ASSERT_EQ(state_value(world, "contact/points"), expected.contacts) << i;
    ASSERT_EQ(state_value(world, "contact/visited_nodes"), expected.visited_nodes) << i;
    ASSERT_EQ(state_value(world, "contact/level"), expected.level) << i;
    ASSERT_EQ(state_value(world, "contact/node_budget"), 0.0);
    ASSERT_EQ(world.pairs()[0].contact.contacts().size(), expected.contacts);
    most_points = std::max(most_points, state_value(world, "contact/points"));
  }
  EXPECT_GT(most_points, 0.0);
  world.reset();
  for (const StateBlock& block : contact_blocks()) EXPECT_EQ(state_value(world, block.name), 0.0);
}

TEST_F(SolidsWorldTest, every_block_has_as_many_values_as_it_declares) {
  const SolidsWorld world(ball_over("soft.h5"), nullptr);
  const auto blocks = world.state_layout().blocks();
  ASSERT_EQ(blocks.size(), kBodyBlocks + kContactBlocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(world.state(i).size(), blocks[i].size()) << blocks[i].name;
  }
}

TEST_F(SolidsWorldTest, a_pressed_deformable_reaches_its_nonlinear_equilibrium) {
  Scene scene = ball_over("stiffening.h5");
  scene.coupling.permitted_depth = 0.01;
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 10);
  const WorldOutput output = hold(world, hand_at(0.0, 0.0, -4e-3), 4000);
  EXPECT_GT(state_value(world, "contact/points"), 0.0);
  const double q = world.coordinates()[2];
  // dW/dq = 800 q + 5e7 q³ against the reduced contact force; both terms matter here.
  const double spring = 800.0 * q + 5e7 * q * q * q;
  EXPECT_NEAR(spring, world.reduced_forces()[2], 1e-6 * std::abs(spring));
  EXPECT_GT(std::abs(5e7 * q * q * q), 0.02 * std::abs(spring));
  EXPECT_NEAR(-output.contact_wrench.force.z() * 2.0, world.reduced_forces()[2], 1e-9);
  EXPECT_NEAR(output.device_wrench.force.z(), output.contact_wrench.force.z(), 1e-6);
}

// A box, tilted, held `push` below where it would just touch a plane of points.
struct BoxOnPlane {
  ContactGradient gradient;
  double degrees, push, k_contact;
  bool saturated;

  std::string describe() const {
    return (gradient == ContactGradient::kMirror ? "mirror, " : "direct, ") +
           std::to_string(degrees) + " deg, push " + std::to_string(push) + " m, k_C " +
           std::to_string(k_contact) + (saturated ? " N/m, saturated" : " N/m");
  }
};

TEST_F(SolidsWorldTest, a_box_comes_to_rest_on_a_plane_of_points) {
  const Vector3 half(6e-3, 5e-3, 4e-3);
  std::vector<BoxOnPlane> set_ups;
  for (const ContactGradient gradient : {ContactGradient::kMirror, ContactGradient::kDirect}) {
    for (const double degrees : {0.0, 5.0, 20.0, 45.0}) {
      for (const double push : {0.5e-3, 2e-3}) {
        for (const double k_contact : {40.0, 400.0, 4000.0}) {
          for (const bool saturated : {false, true}) {
            set_ups.push_back({gradient, degrees, push, k_contact, saturated});
          }
        }
      }
    }
  }
  for (const BoxOnPlane& set_up : set_ups) {
    SCOPED_TRACE(set_up.describe());
    DeviceState hand;
    hand.pose.orientation =
        rotation_exponential(set_up.degrees * 0.017453292519943295 * Vector3(0.8, 0.6, 0.0));
    const Matrix3 R = hand.pose.orientation.toRotationMatrix();
    Scene scene = ball_over("plane.h5");
    scene.bodies[1].model = folder_ / "box.h5";
    scene.bodies[1].pose.position.z() = R.row(2).cwiseAbs().dot(half) - set_up.push;
    edit_solids(scene).contacts[0].settings.stiffness = set_up.k_contact;
    scene.coupling.contact_gradient = set_up.gradient;
    if (!set_up.saturated) scene.coupling.permitted_depth = 1.0;
    SolidsWorld world(scene, nullptr);

    DeviceState above = hand;
    above.pose.position.z() += 0.02;
    hold(world, above, 1);
    WorldOutput output;
    Vector3 before = Vector3::Zero();
    int rests_since = -1;
    for (int i = 0; i < 250; ++i) {
      output = hold(world, hand, 1);
      const bool rests = (output.held_pose.position - before).norm() < 1e-12;
      if (!rests) rests_since = -1;
      if (rests && rests_since < 0) rests_since = i;
      before = output.held_pose.position;
    }
    EXPECT_GT(state_value(world, "contact/points"), 0.0);
    EXPECT_GE(rests_since, 0);
    EXPECT_LE(rests_since, 150);
    if (!set_up.saturated) {
      EXPECT_LE((output.device_wrench.force - output.contact_wrench.force).norm(), 1e-8);
    }
    EXPECT_LE(output.contact_wrench.force.norm(), world.coupling().force.maximum * (1.0 + 1e-9));
  }
}

// The limits are those of the hand: what contact pushes may leave it faster.
TEST_F(SolidsWorldTest, the_hand_moves_the_held_body_no_further_than_the_limits_in_a_cycle) {
  Scene scene = ball_over("plane.h5");
  SolidsWorld world(scene, nullptr);
  WorldOutput before = hold(world, hand_at(0.0, 0.0, 1e-3), 1);
  int pushed = 0;
  for (int i = 0; i < 3000; ++i) {
    DeviceState hand =
        hand_at(0.1 * std::sin(1.0 * (i / 40)), 0.0, 0.05 * std::cos(7.0 * (i / 40)));  // teleports
    hand.pose.orientation = rotation_exponential({0.0, 2.0 * std::sin(3.0 * (i / 40)), 0.0});
    WorldOutput output;
    ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
    const Vector3 way = output.held_pose.position - before.held_pose.position;
    const Vector3 turn =
        rotation_logarithm(output.held_pose.orientation * before.held_pose.orientation.conjugate());
    const double depth = std::max(0.0, kRadius - before.held_pose.position.z());
    before = output;
    const Wrench& contact = output.contact_wrench;
    if (contact.force.dot(way) + contact.torque.dot(turn) > 0.0) {
      ++pushed;
      ASSERT_LE(way.norm(), 0.6e-3 + depth);  // the plane pushes no further than out
      continue;
    }
    ASSERT_LE(way.norm(), 0.6e-3 + 1e-16);
    ASSERT_LE(turn.norm(), 6.283185307179586e-3 + 1e-15);
  }
  EXPECT_LT(pushed, 600);  // a few after each teleport
}

TEST_F(SolidsWorldTest, a_spring_damper_hand_rests_against_the_wall_it_feels) {
  const Scene scene = ball_over("plane.h5");
  SolidsWorld world(scene, nullptr);
  Pose goal;
  goal.position.z() = -5e-3;
  const double stiffness = 300.0;
  SimulatedDevice device(HandScript({{0.0, goal}}), scene.rate_hz,
                         {HandKind::kSpringDamper, 0.3, stiffness, 15.0});
  // The hand begins 5 mm inside, where the world puts the ball; it is pushed out to where its own
  // spring, the coupling and the contact agree.
  DeviceState hand;
  WorldOutput output;
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(device.sense(hand), DeviceStatus::kOk);
    ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
    ASSERT_EQ(device.actuate(output.device_wrench), DeviceStatus::kOk);
  }
  EXPECT_GT(state_value(world, "contact/points"), 0.0);
  const double spring = stiffness * (hand.pose.position.z() - goal.position.z());
  EXPECT_NEAR(spring, output.device_wrench.force.z(), 1e-6);
  EXPECT_LE(hand.twist.linear.norm(), 1e-9);
}

TEST_F(SolidsWorldTest, small_rotations_feel_the_scene_s_rotational_stiffness) {
  Scene scene = ball_over("plane.h5");
  scene.coupling.max_angular_speed = 1e-9;  // the held body hardly moves
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 0.05), 1);
  DeviceState hand = hand_at(0.0, 0.0, 0.05);
  hand.pose.orientation = rotation_exponential({0.0, 0.01, 0.0});
  // 0.5 N·m/rad; the sine law is theta²/24 below its slope.
  EXPECT_NEAR(hold(world, hand, 1).device_wrench.torque.y(), -0.5 * 0.01, 1e-7);
}

TEST_F(SolidsWorldTest, a_world_without_contacts_is_free_space) {
  Scene scene = ball_over("plane.h5");
  edit_solids(scene).contacts.clear();
  SolidsWorld world(scene, nullptr);
  EXPECT_EQ(world.parameter(kContactStiffness), 0.0);
  hold(world, hand_at(0.0, 0.0, 0.0), 1);
  EXPECT_LE(hold(world, hand_at(0.0, 0.0, -0.05), 200).device_wrench.force.norm(), 1e-9);
}

TEST_F(SolidsWorldTest, bodies_of_one_model_share_its_copy_in_memory) {
  Scene scene = ball_over("lifting2.h5");
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies.back().name = "again";
  scene.bodies.back().dimension = 1;
  const SolidsWorld world(scene, nullptr);
  EXPECT_EQ(world.model(0).file.get(), world.model(2).file.get());
  EXPECT_NE(world.model(0).file.get(), world.model(1).file.get());
  EXPECT_EQ(world.model(0).dimension(), 2U);
  EXPECT_EQ(world.model(2).dimension(), 1U);
}

}  // namespace
}  // namespace haptic::solids
