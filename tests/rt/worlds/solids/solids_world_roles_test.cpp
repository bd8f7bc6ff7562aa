// Who may carry the points, deform, be held: every role against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

using Roles = SolidsWorldTest;

std::string refusal(const Scene& scene) {
  try {
    SolidsWorld world(scene, nullptr);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

// Which body is on which side; the held one is above.
struct Cast {
  const char *points, *field;
  bool points_held;
};

TEST_F(Roles, every_role_reaches_the_equilibrium_of_its_springs) {
  std::vector<Cast> casts;
  for (const char* points : {"plane.h5", "soft.h5"}) {
    for (const char* field : {"ball.h5", "soft_ball.h5"}) {
      for (const bool held : {false, true}) casts.push_back({points, field, held});
    }
  }
  for (const Cast& cast : casts) {
    SCOPED_TRACE(std::string(cast.points) + " on " + cast.field +
                 (cast.points_held ? ", points held" : ", field held"));
    Scene scene = ball_over(cast.points);
    scene.bodies[1].model = folder_ / cast.field;
    scene.coupling.permitted_depth = 0.01;
    if (cast.points_held) {
      // The plane turned over, above the ball's top at z = 0.
      scene.bodies[0].role = BodyRole::kHeld;
      scene.bodies[0].pose.orientation = rotation_exponential({std::numbers::pi, 0.0, 0.0});
      scene.bodies[1].role = BodyRole::kAnchored;
      scene.bodies[1].pose.position.z() = -kRadius;
    }
    SolidsWorld world(scene, nullptr);
    hold(world, hand_at(0.0, 0.0, 1e-3), 10);
    const WorldOutput output = hold(world, hand_at(0.0, 0.0, -2e-3), 4000);
    ASSERT_GT(state_value(world, "contact/points"), 0.0);
    const double force = output.contact_wrench.force.z();  // on the held body
    EXPECT_GT(force, 0.02);
    EXPECT_NEAR(output.device_wrench.force.z(), force, 1e-6);
    double given = 0.0;  // what the springs of both bodies gave way [m]
    for (std::size_t body = 0; body < 2; ++body) {
      const BodyInfo& info = world.bodies()[body];
      if (info.coordinate_count == 0) continue;
      const double up = body == 0 && cast.points_held ? -1.0 : 1.0;  // the world's z in its frame
      const double on_body = up * (info.held ? force : -force);
      const double reduced = world.reduced_forces()[info.first_coordinate + 2];
      const double q = world.coordinates()[info.first_coordinate + 2];
      // U = 2 I, W = 400 |q|².
      EXPECT_NEAR(reduced, 2.0 * on_body, 1e-9);
      EXPECT_NEAR(800.0 * q, reduced, 1e-6 * std::abs(reduced));
      given += std::abs(2.0 * q);
    }
    // The hand's way is in the coupling, the springs and the depth.
    double deepest = 0.0;
    for (const Contact& c : world.pairs()[0].contact.contacts()) {
      deepest = std::max(deepest, c.depth);
    }
    EXPECT_NEAR(force / 400.0 + given + deepest, 2e-3, 2e-6);
  }
}

TEST_F(Roles, two_bodies_neither_of_them_held_push_each_other) {
  // The ball is 1 mm deep in the sprung plane; the hand is elsewhere with another ball.
  Scene scene = ball_over("soft.h5");
  scene.bodies[1].role = BodyRole::kAnchored;
  scene.bodies[1].pose.position.z() = kRadius - 1e-3;
  scene.bodies.push_back({"hand", folder_ / "ball.h5", BodyRole::kHeld, {}});
  scene.bodies.back().pose = Pose{};
  scene.bodies.back().pose.position = {0.5, 0.0, 0.0};
  edit_solids(scene).contacts[0].settings.stiffness = 1000.0;
  SolidsWorld world(scene, nullptr);
  const WorldOutput output = hold(world, hand_at(0.0, 0.0, 0.0), 4000);
  ASSERT_GT(state_value(world, "contact/points"), 0.0);
  EXPECT_EQ(output.contact_wrench.force, Vector3(Vector3::Zero()));
  EXPECT_LE(output.device_wrench.force.norm(), 1e-12);
  double pushed = 0.0;
  for (const Contact& c : world.pairs()[0].contact.contacts()) pushed += c.force.z();
  // Contact::force is on the field's body where neither is held: up on the ball.
  EXPECT_GT(pushed, 0.05);
  EXPECT_NEAR(world.reduced_forces()[2], -2.0 * pushed, 1e-12);
  EXPECT_NEAR(800.0 * world.coordinates()[2], -2.0 * pushed, 1e-6 * pushed);
}

TEST_F(Roles, two_deforming_bodies_neither_of_them_held_share_the_overlap) {
  Scene scene = ball_over("soft.h5");
  scene.bodies[1].role = BodyRole::kAnchored;
  scene.bodies[1].model = folder_ / "soft_ball.h5";
  scene.bodies[1].pose.position.z() = kRadius - 1e-3;
  scene.bodies.push_back({"hand", folder_ / "ball.h5", BodyRole::kHeld, {}});
  scene.bodies.back().pose = Pose{};
  scene.bodies.back().pose.position = {0.5, 0.0, 0.0};
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 0.0), 4000);
  ASSERT_FALSE(world.pairs()[0].contact.contacts().empty());
  const double down = world.coordinates()[2], up = world.coordinates()[5];
  EXPECT_LT(down, -1e-5);
  EXPECT_NEAR(up, -down, 1e-9);  // equal springs
  double deepest = 0.0;
  for (const Contact& c : world.pairs()[0].contact.contacts()) deepest = std::max(deepest, c.depth);
  EXPECT_NEAR(2.0 * (up - down) + deepest, 1e-3, 2e-6);
}

TEST_F(Roles, a_scene_of_three_adds_up_what_touches_one_deformable) {
  // The plane between a standing ball and the ball in the hand: both push its reduced coordinates.
  Scene scene = ball_over("soft.h5");
  scene.bodies.push_back({"standing", folder_ / "ball.h5", BodyRole::kAnchored, {}});
  scene.bodies.back().pose = Pose{};
  scene.bodies.back().pose.position = {1e-3, 0.0, kRadius - 0.5e-3};
  edit_solids(scene).contacts.push_back({0, 2, {300.0}});
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 10);
  hold(world, hand_at(0.0, 0.0, -0.6e-3), 2000);
  Vector3 on_plane = Vector3::Zero();
  for (const ContactSet::Pair& pair : world.pairs()) {
    ASSERT_FALSE(pair.contact.contacts().empty());
    for (const Contact& c : pair.contact.contacts()) on_plane -= c.force;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(world.reduced_forces()[j], 2.0 * on_plane[static_cast<int>(j)], 1e-12);
  }
}

TEST_F(Roles, sliding_drags_at_the_dynamic_limit_and_sticking_does_not_move) {
  Scene scene = ball_over("plane.h5");
  edit_solids(scene).contacts[0].settings.friction = {0.5, 0.3, {}};
  scene.coupling.permitted_depth = 1.0;
  SolidsWorld world(scene, nullptr);
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

TEST_F(Roles, contact_damping_acts_on_the_way_in_and_not_at_rest) {
  WorldOutput rest[2];
  double first[2] = {0.0, 0.0};
  for (const double damping : {0.0, 20.0}) {
    Scene scene = ball_over("soft.h5");
    edit_solids(scene).contacts[0].settings.damping = damping;
    edit_solids(scene).dynamics.implicit_contact = false;
    SolidsWorld world(scene, nullptr);
    hold(world, hand_at(0.0, 0.0, 0.2e-3), 10);
    const int i = damping > 0.0;
    first[i] = hold(world, hand_at(0.0, 0.0, -1e-3), 2).contact_wrench.force.z();
    rest[i] = hold(world, hand_at(0.0, 0.0, -1e-3), 4000);
  }
  // At 0.6 m/s, which the coupling allows, 1 + 20 * 0.6 times the spring; the ball gets less far.
  EXPECT_GT(first[1], 10.0 * first[0]);
  EXPECT_NEAR(rest[1].device_wrench.force.z(), rest[0].device_wrench.force.z(), 1e-6);
}

TEST_F(Roles, a_step_with_everything_on_does_not_allocate) {
  Scene scene = ball_over("soft.h5");
  ContactSettings& settings = edit_solids(scene).contacts[0].settings;
  settings.friction = {0.5, 0.3, {}};
  settings.damping = 5.0;
  settings.scaling = ContactScaling::kSmooth;
  settings.traversal.temporal_coherence = true;
  settings.traversal.degradation.warm_nodes = 15;
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  int failures = 0;
  double contacts = 0.0;
  NoAllocation guard;
  for (int i = 0; i < 2000; ++i) {
    failures += world.step(stroke(i), output) != WorldStatus::kOk;
    contacts = std::max(contacts, state_value(world, "contact/points"));
  }
  EXPECT_EQ(state_value(world, "contact/node_budget"), 15.0);
  EXPECT_EQ(state_value(world, "contact/level"), 1.0);
  world.reset();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(contacts, 0.0);
}

TEST_F(Roles, a_reset_clears_the_friction_anchors) {
  Scene scene = ball_over("plane.h5");
  edit_solids(scene).contacts[0].settings.friction = {0.5, 0.3, {}};
  SolidsWorld world(scene, nullptr);
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
  write_sprung_ball(folder_ / "no_proxies.h5", kRadius, SprungPlane{}, false);
  Scene scene = ball_over("plane.h5");
  scene.bodies[1].model = folder_ / "no_proxies.h5";
  EXPECT_NE(refusal(scene).find("no_proxies.h5 deforms in 3 coordinates, and its field would not "
                                "follow: no /field/proxies/points"),
            std::string::npos)
      << refusal(scene);
  scene = ball_over("soft.h5");
  SceneContact& swapped = edit_solids(scene).contacts[0];
  std::swap(swapped.points, swapped.field);
  EXPECT_NE(refusal(scene).find("soft.h5 has no distance field"), std::string::npos)
      << refusal(scene);
  scene = ball_over("plane.h5");
  edit_solids(scene).contacts[0].area_weights = true;
  EXPECT_NE(refusal(scene).find("plane.h5 has no /shell/weights"), std::string::npos)
      << refusal(scene);
  scene = ball_over("plane.h5");
  edit_solids(scene).contacts[0].scaling = ContactScaling::kPerSite;
  EXPECT_NE(refusal(scene).find("plane.h5 has a point tree of one level"), std::string::npos)
      << refusal(scene);
  scene = ball_over("plane.h5");
  scene.bodies.push_back({"wall", folder_ / "ball.h5", BodyRole::kAnchored, {}});
  edit_solids(scene).contacts.push_back({0, 2, {200.0}});
  EXPECT_NE(refusal(scene).find("two rigid anchored bodies, \"ground\" and \"wall\""),
            std::string::npos)
      << refusal(scene);
}

}  // namespace
}  // namespace haptic::solids
