// Who may carry the points, deform, be held: every role against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "shared/error.h"
#include "tests/rt/worlds/reduced_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

using Roles = ReducedWorldTest;

std::string refusal(const Scene& scene) {
  try {
    ReducedWorld world(scene, nullptr);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

// The sprung plane in the hand, turned over, above an anchored ball whose top is at z = 0.
Scene plane_over_ball(const Scene& ball_over_plane) {
  Scene scene = ball_over_plane;
  scene.bodies[0].role = BodyRole::kHeld;
  scene.bodies[0].pose.orientation = rotation_exponential({std::numbers::pi, 0.0, 0.0});
  scene.bodies[1].role = BodyRole::kAnchored;
  scene.bodies[1].pose.position.z() = -kRadius;
  return scene;
}

TEST_F(Roles, a_held_body_deforms_in_its_own_frame_by_what_it_touches) {
  Scene scene = plane_over_ball(ball_over("soft.h5"));
  scene.coupling.permitted_depth = 0.01;
  ReducedWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 10);
  const WorldOutput output = hold(world, hand_at(0.0, 0.0, -2e-3), 4000);
  ASSERT_GT(output.contacts, 0U);
  EXPECT_GT(output.contact_wrench.force.z(), 0.05);
  EXPECT_NEAR(output.device_wrench.force.z(), output.contact_wrench.force.z(), 1e-6);
  // Held up by the ball, in its own frame its points are pushed down: U = 2 I, W = 400 |q|².
  EXPECT_NEAR(world.reduced_forces()[2], -2.0 * output.contact_wrench.force.z(), 1e-9);
  EXPECT_NEAR(800.0 * world.coordinates()[2], world.reduced_forces()[2],
              1e-6 * std::abs(world.reduced_forces()[2]));
  // What the hand has pressed is in the coupling, the springs and the depth.
  const double deepest = [&] {
    double depth = 0.0;
    for (const Contact& c : world.pairs()[0].contact.contacts()) depth = std::max(depth, c.depth);
    return depth;
  }();
  const double pressed =
      output.device_wrench.force.z() / 400.0 - 2.0 * world.coordinates()[2] + deepest;
  EXPECT_NEAR(pressed, 2e-3, 2e-6);
}

TEST_F(Roles, two_bodies_neither_of_them_held_push_each_other) {
  // The ball stands 1 mm in the sprung plane; the hand is elsewhere with a ball of its own (C87).
  Scene scene = ball_over("soft.h5");
  scene.bodies[1].role = BodyRole::kAnchored;
  scene.bodies[1].pose.position.z() = kRadius - 1e-3;
  scene.bodies.push_back({"hand", folder_ / "ball.h5", BodyRole::kHeld, {}});
  scene.bodies.back().pose = Pose{};
  scene.bodies.back().pose.position = {0.5, 0.0, 0.0};
  scene.contacts[0].settings.stiffness = 1000.0;
  ReducedWorld world(scene, nullptr);
  const WorldOutput output = hold(world, hand_at(0.0, 0.0, 0.0), 4000);
  ASSERT_GT(output.contacts, 0U);
  EXPECT_EQ(output.contact_wrench.force, Vector3(Vector3::Zero()));
  EXPECT_LE(output.device_wrench.force.norm(), 1e-12);
  double pushed = 0.0;
  for (const Contact& c : world.pairs()[0].contact.contacts()) pushed += c.force.z();
  // Contact::force is on the field's body where neither is held: up on the ball.
  EXPECT_GT(pushed, 0.05);
  EXPECT_NEAR(world.reduced_forces()[2], -2.0 * pushed, 1e-12);
  EXPECT_NEAR(800.0 * world.coordinates()[2], -2.0 * pushed, 1e-6 * pushed);
}

TEST_F(Roles, a_scene_of_three_adds_up_what_touches_one_deformable) {
  // The plane between a standing ball and the ball in the hand: both push its reduced coordinates.
  Scene scene = ball_over("soft.h5");
  scene.bodies.push_back({"standing", folder_ / "ball.h5", BodyRole::kAnchored, {}});
  scene.bodies.back().pose = Pose{};
  scene.bodies.back().pose.position = {1e-3, 0.0, kRadius - 0.2e-3};
  scene.contacts.push_back({0, 2, {300.0}});
  ReducedWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 10);
  hold(world, hand_at(0.0, 0.0, -0.5e-3), 50);
  Vector3 on_plane = Vector3::Zero();
  for (const ContactSet::Pair& pair : world.pairs()) {
    ASSERT_FALSE(pair.contact.contacts().empty());
    for (const Contact& c : pair.contact.contacts()) on_plane -= c.force;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(world.reduced_forces()[j], 2.0 * on_plane[static_cast<int>(j)], 1e-12);
  }
}

TEST_F(Roles, sliding_drags_at_the_dynamic_limit_and_sticking_holds) {
  Scene scene = ball_over("plane.h5");
  scene.contacts[0].settings.friction = {0.5, 0.3, {}};
  scene.coupling.permitted_depth = 1.0;
  ReducedWorld world(scene, nullptr);
  hold(world, hand_at(-3e-3, 0.0, 1e-3), 10);
  WorldOutput output = hold(world, hand_at(-3e-3, 0.0, -1e-3), 200);
  const double pressed = output.device_wrench.force.z();
  EXPECT_LE(output.device_wrench.force.head<2>().norm(), 0.02 * pressed);
  // A tenth of what static friction bears at the coupling's 400 N/m: it sticks.
  const double reach = 0.5 * pressed / 400.0;
  output = hold(world, hand_at(-3e-3 + 0.1 * reach, 0.0, -1e-3), 200);
  const double stuck = output.held_pose.position.x();
  EXPECT_LT(stuck, -3e-3 + 0.05 * reach);
  EXPECT_LT(output.device_wrench.force.x(), 0.0);
  // Then 5 mm/s to the side.
  for (int i = 0; i < 1000; ++i) {
    output = hold(world, hand_at(-3e-3 + 5e-6 * i, 0.0, -1e-3), 1);
  }
  EXPECT_GT(output.held_pose.position.x(), 1e-3);
  EXPECT_NEAR(output.contact_wrench.force.x(), -0.3 * output.contact_wrench.force.z(), 1e-6);
  EXPECT_NEAR(output.device_wrench.force.x(), output.contact_wrench.force.x(), 0.02 * pressed);
  // The hand stops: so does the ball, and friction holds it against the coupling.
  const WorldOutput stopped = hold(world, hand_at(-3e-3 + 5e-3, 0.0, -1e-3), 300);
  EXPECT_LT(stopped.contact_wrench.force.x(), -0.2 * stopped.contact_wrench.force.z());
  EXPECT_LE(
      (hold(world, hand_at(2e-3, 0.0, -1e-3), 1).held_pose.position - stopped.held_pose.position)
          .norm(),
      1e-9);
}

TEST_F(Roles, contact_damping_leaves_the_rest_and_takes_the_swing) {
  WorldOutput rest[2];
  double first[2] = {0.0, 0.0};
  for (const double damping : {0.0, 400.0}) {
    Scene scene = ball_over("soft.h5");
    scene.contacts[0].settings.damping = damping;
    ReducedWorld world(scene, nullptr);
    hold(world, hand_at(0.0, 0.0, 0.2e-3), 10);
    const int i = damping > 0.0;
    first[i] = hold(world, hand_at(0.0, 0.0, -1e-3), 3).contact_wrench.force.z();
    rest[i] = hold(world, hand_at(0.0, 0.0, -1e-3), 4000);
  }
  EXPECT_GT(first[1], 1.05 * first[0]);  // moving in, it pushes harder
  EXPECT_NEAR(rest[1].device_wrench.force.z(), rest[0].device_wrench.force.z(), 1e-6);
}

TEST_F(Roles, a_step_with_everything_on_does_not_allocate) {
  Scene scene = ball_over("soft.h5");
  scene.contacts[0].settings.friction = {0.5, 0.3, {}};
  scene.contacts[0].settings.damping = 5.0;
  scene.contacts[0].settings.scaling = ContactScaling::kSmooth;
  scene.contacts[0].settings.traversal.temporal_coherence = true;
  scene.contacts[0].settings.traversal.degradation.warm_nodes = 15;
  ReducedWorld world(scene, nullptr);
  WorldOutput output;
  int failures = 0;
  std::uint32_t contacts = 0;
  NoAllocation guard;
  for (int i = 0; i < 2000; ++i) {
    failures += world.step(stroke(i), output) != WorldStatus::kOk;
    contacts = std::max(contacts, output.contacts);
  }
  world.reset();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(contacts, 0U);
  EXPECT_EQ(output.node_budget, 15U);
  EXPECT_EQ(output.level, 1U);
}

TEST_F(Roles, friction_forgets_with_a_reset) {
  Scene scene = ball_over("plane.h5");
  scene.contacts[0].settings.friction = {0.5, 0.3, {}};
  ReducedWorld world(scene, nullptr);
  std::vector<double> forces;
  for (int run = 0; run < 2; ++run) {
    WorldOutput output;
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(world.step(stroke(i), output), WorldStatus::kOk);
    forces.push_back(output.device_wrench.force.x());
    world.reset();
  }
  EXPECT_EQ(forces[0], forces[1]);
}

TEST_F(Roles, refuses_what_a_role_needs_and_a_model_lacks) {
  // A deforming field needs proxies; the line names file and section.
  write_ball(folder_ / "shell_only.h5", kRadius);
  Scene scene = ball_over("soft.h5");
  std::swap(scene.contacts[0].points, scene.contacts[0].field);
  EXPECT_NE(refusal(scene).find("soft.h5 has no distance field"), std::string::npos)
      << refusal(scene);
  scene = ball_over("plane.h5");
  scene.contacts[0].area_weights = true;
  EXPECT_NE(refusal(scene).find("plane.h5 has no /shell/weights"), std::string::npos)
      << refusal(scene);
  scene = ball_over("plane.h5");
  scene.contacts[0].settings.scaling = ContactScaling::kPerSite;
  EXPECT_NE(refusal(scene).find("plane.h5 has a point tree of one level"), std::string::npos)
      << refusal(scene);
  scene = ball_over("plane.h5");
  scene.bodies.push_back({"wall", folder_ / "ball.h5", BodyRole::kAnchored, {}});
  scene.contacts.push_back({0, 2, {200.0}});
  EXPECT_NE(refusal(scene).find("two rigid anchored bodies, \"ground\" and \"wall\""),
            std::string::npos)
      << refusal(scene);
}

}  // namespace
}  // namespace haptic
