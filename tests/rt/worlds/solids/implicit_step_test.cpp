#include "rt/worlds/solids/implicit_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

class ImplicitStepTest : public SolidsWorldTest {
 protected:
  static Scene scene_of(const char* model, double stiffness, bool implicit = true) {
    Scene scene = ball_over(model);
    edit_solids(scene).contacts[0].settings.stiffness = stiffness;
    edit_solids(scene).contacts[0].settings.scaling = ContactScaling::kNone;
    edit_solids(scene).dynamics.implicit_contact = implicit;
    scene.coupling.permitted_depth = 1e-3;
    return scene;
  }

  /// A hand that comes down at 0.1 m/s, presses 3 mm deep and stays.
  static DeviceState press(int cycle) {
    return hand_at(0.0, 0.0, std::max(-3e-3, 2e-3 - 1e-4 * cycle));
  }
};

TEST_F(ImplicitStepTest, it_rests_where_the_explicit_step_does) {
  for (const char* model : {"soft.h5", "plane.h5", "stiffening.h5"}) {
    SolidsWorld end(scene_of(model, 100.0, true), nullptr),
        start(scene_of(model, 100.0, false), nullptr);
    for (int i = 0; i < 6000; ++i) {
      hold(end, press(i), 1);
      hold(start, press(i), 1);
    }
    ASSERT_GT(state_value(start, "contact/points"), 0.0);
    EXPECT_EQ(state_value(start, "contact/points"), state_value(end, "contact/points"));
    // Both have come to rest within 1e-9 m of the same balance of forces.
    EXPECT_LE((end.poses()[1].position - start.poses()[1].position).norm(), 1e-9) << model;
    for (std::size_t j = 0; j < end.coordinates().size(); ++j) {
      EXPECT_NEAR(end.coordinates()[j], start.coordinates()[j], 1e-9) << model;
    }
  }
}

TEST_F(ImplicitStepTest, contact_is_calm_at_every_stiffness_and_damping) {
  // Explicitly, the soft plane (0.25 kg) is thrown off from m / dt^2 = 0.25 MN/m on.
  for (const CouplingMode mode : {CouplingMode::kStatic, CouplingMode::kDynamic}) {
    for (const double k : {5e2, 2e4, 1e6, 1e8}) {
      for (const double damping : {0.0, 20.0, 200.0}) {
        Scene scene = scene_of("soft.h5", k);
        scene.coupling.mode = mode;
        edit_solids(scene).contacts[0].settings.damping = damping;
        SolidsWorld world(scene, nullptr);
        WorldOutput output;
        int switches = 0;
        bool pressed = false;
        double largest = 0.0, late = 0.0;
        Vector3 last = Vector3::Zero();
        for (int i = 0; i < 3000; ++i) {
          ASSERT_EQ(world.step(press(i), output), WorldStatus::kOk) << k << " " << damping;
          const Vector3 force = output.contact_wrench.force;
          switches += (force.norm() > 0.0) != pressed;
          pressed = force.norm() > 0.0;
          largest = std::max(largest, (force - last).norm());
          if (i >= 2500) late = std::max(late, (force - last).norm());
          last = force;
        }
        EXPECT_EQ(switches, 1) << k << " " << damping;
        // Static: the coupling of 400 N/m brings 0.04 N a cycle, its static damping as much again;
        // the mass of 0.05 kg of the dynamic mode arrives with an impact of at most 5 N.
        EXPECT_LE(largest, mode == CouplingMode::kStatic ? 0.081 : 5.0) << k << " " << damping;
        EXPECT_LE(late, 1e-6 * last.norm()) << k << " " << damping;
        EXPECT_GT(last.norm(), 0.3);
      }
    }
  }
}

TEST_F(ImplicitStepTest, the_explicit_step_is_not_calm_there) {
  SolidsWorld world(scene_of("soft.h5", 1e6, false), nullptr);
  WorldOutput output;
  double largest = 0.0;
  Vector3 last = Vector3::Zero();
  for (int i = 0; i < 3000; ++i) {
    if (world.step(press(i), output) != WorldStatus::kOk) return;
    largest = std::max(largest, (output.contact_wrench.force - last).norm());
    last = output.contact_wrench.force;
  }
  EXPECT_GT(largest, 1.0);
}

TEST_F(ImplicitStepTest, a_stiff_contact_lets_nothing_in_not_even_at_first_touch) {
  // Depth at the end of any step: force over stiffness, not the 0.1 mm of a step of the hand.
  for (const char* model : {"plane.h5", "soft.h5"}) {
    SolidsWorld world(scene_of(model, 1e6), nullptr);
    double deepest = 0.0;
    for (int i = 0; i < 200; ++i) {
      hold(world, press(i), 1);
      for (const Contact& contact : world.pairs()[0].contact.contacts()) {
        deepest = std::max(deepest, contact.depth);
      }
    }
    // 0.4 N; the field of 32 voxels turns the rest: it is curved within a step.
    EXPECT_LE(deepest, 5e-6) << model;
  }
}

TEST_F(ImplicitStepTest, damping_keeps_the_ball_out_and_changes_nothing_at_rest) {
  double depth[2], rest[2];
  for (const double damping : {0.0, 100.0}) {
    Scene scene = scene_of("plane.h5", 10.0);
    edit_solids(scene).contacts[0].settings.damping = damping;
    SolidsWorld world(scene, nullptr);
    hold(world, hand_at(0.0, 0.0, 0.2e-3), 20);
    depth[damping > 0.0] = -hold(world, hand_at(0.0, 0.0, -1e-3), 5).held_pose.position.z();
    rest[damping > 0.0] = hold(world, hand_at(0.0, 0.0, -1e-3), 6000).held_pose.position.z();
  }
  EXPECT_LT(depth[1], depth[0] - 1e-5);
  EXPECT_NEAR(rest[1], rest[0], 1e-8);
}

TEST_F(ImplicitStepTest, roles_both_ways_and_two_deformables_are_calm) {
  // A soft ball in the hand on a soft plane: its field against the plane's points, then its points
  // against a rigid ball's field.
  for (const bool points_held : {false, true}) {
    Scene scene = scene_of("soft.h5", 1e5);
    scene.bodies[1].model = folder_ / "soft_ball.h5";
    if (points_held) {
      scene.bodies[0].model = folder_ / "ball.h5";
      scene.bodies[0].pose.position.z() = -kRadius;
      SceneContact& contact = edit_solids(scene).contacts[0];
      std::swap(contact.points, contact.field);
    }
    SolidsWorld world(scene, nullptr);
    WorldOutput output;
    double late = 0.0;
    Vector3 last = Vector3::Zero();
    for (int i = 0; i < 4000; ++i) {
      ASSERT_EQ(world.step(press(i), output), WorldStatus::kOk);
      if (i >= 3500) late = std::max(late, (output.contact_wrench.force - last).norm());
      last = output.contact_wrench.force;
    }
    EXPECT_GT(last.z(), 0.2) << points_held;
    EXPECT_LE(late, 1e-4 * last.norm()) << points_held;
  }
}

TEST_F(ImplicitStepTest, friction_holds_and_slides_at_its_limits) {
  for (const double k : {1e3, 2e4, 1e6}) {
    Scene scene = scene_of("plane.h5", k);
    edit_solids(scene).contacts[0].settings.friction = {0.5, 0.3, {}};
    scene.coupling.rotational_stiffness = 100.0;  // else the ball rolls
    SolidsWorld world(scene, nullptr);
    WorldOutput output;
    for (int i = 0; i < 300; ++i) ASSERT_EQ(world.step(press(i), output), WorldStatus::kOk);
    // Drawn sideways a little: it sticks. Far: it slides, and stays at the limit of sliding.
    const auto drawn = [&](double x) {
      DeviceState hand = press(1000);
      hand.pose.position.x() = x;
      return hand;
    };
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(world.step(drawn(1e-6 * i), output), WorldStatus::kOk);
    }
    const double stuck = output.held_pose.position.x();
    // 400 N/m draw 0.2 mm: 0.08 N on at least one point, and on the rotation of the ball.
    EXPECT_LT(stuck, 0.08 / k + 0.08 * kRadius * kRadius / 100.0) << k;
    // While it slides, no cycle is without friction and in none the ball sticks.
    int outside = 0;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(world.step(drawn(2e-4 + 2e-6 * i), output), WorldStatus::kOk);
      const Vector3 f = output.contact_wrench.force;
      // The ball's contact normals are inclined by at most 1 percent.
      if (i >= 1500) outside += !(-f.x() / f.z() > 0.29 && -f.x() / f.z() < 0.31);
    }
    EXPECT_GT(output.held_pose.position.x(), 1e-3) << k;
    EXPECT_EQ(outside, 0) << k;
  }
}

TEST_F(ImplicitStepTest,
       what_excludes_it_is_refused_if_it_is_asked_for_and_else_chooses_the_other) {
  const auto with = [](auto&& change, std::optional<bool> asked) {
    Scene scene = ball_over("soft.h5");
    change(scene);
    edit_solids(scene).dynamics.implicit_contact = asked;
    return scene;
  };
  const auto chosen = [](const Scene& scene) { return ImplicitStep::chosen_by(scene); };
  const auto integrator = [](Scene& scene) {
    edit_solids(scene).dynamics.integrator = DynamicsIntegrator::kModal;
  };
  const auto tangent = [](Scene& scene) {
    scene.coupling.saturation_gradient = SaturationGradient::kTangent;
  };
  const auto gradient = [](Scene& scene) {
    edit_solids(scene).contacts[0].gradient = ContactGradient::kDirect;
  };
  const auto expect = [&](auto&& change, const char* found) {
    EXPECT_FALSE(chosen(with(change, std::nullopt))) << found;
    EXPECT_FALSE(chosen(with(change, false))) << found;
    try {
      SolidsWorld world(with(change, true), nullptr);
      ADD_FAILURE() << found;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("dynamics.contact"));
      EXPECT_THAT(error.what(), testing::HasSubstr(found));
    }
  };
  expect(integrator, "an explicit integrator");
  expect(tangent, "coupling.saturation_gradient = \"tangent\"");
  expect(gradient, "a contact gradient");
  EXPECT_TRUE(chosen(ball_over("soft.h5")));
  EXPECT_TRUE(chosen(ball_over("plane.h5")));
  Scene rough = ball_over("soft.h5");
  edit_solids(rough).contacts[0].settings.friction = {0.5, 0.3, {}};
  EXPECT_TRUE(chosen(rough));
}

TEST_F(ImplicitStepTest, after_a_reset_a_run_is_the_same_again) {
  SolidsWorld world(scene_of("soft.h5", 1e5), nullptr);
  std::vector<double> heights[2];
  for (auto& run : heights) {
    world.reset();
    for (int i = 0; i < 200; ++i) run.push_back(hold(world, press(i), 1).held_pose.position.z());
  }
  EXPECT_EQ(heights[0], heights[1]);
}

TEST_F(ImplicitStepTest, no_step_allocates) {
  Scene scene = scene_of("soft.h5", 1e5);
  ContactSettings& settings = edit_solids(scene).contacts[0].settings;
  settings.friction = {0.5, 0.3, {}};
  settings.damping = 20.0;
  for (const CouplingMode mode : {CouplingMode::kStatic, CouplingMode::kDynamic}) {
    scene.coupling.mode = mode;
    SolidsWorld world(scene, nullptr);
    WorldOutput output;
    NoAllocation guard;
    for (int i = 0; i < 300; ++i) EXPECT_EQ(world.step(press(i), output), WorldStatus::kOk);
  }
}

}  // namespace
}  // namespace haptic::solids
