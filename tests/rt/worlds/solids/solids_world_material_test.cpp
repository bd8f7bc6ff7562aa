// A body's material, dimension and integrator, as scenes and operators choose them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "rt/worlds/solids/solids_world.h"
#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

using MaterialChange = SolidsWorldTest;

std::size_t index_of(const World& world, std::string_view name) {
  const auto all = world.parameters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

/// The plane's height under a ball pushed 2 mm into it, at rest [m].
double depression(const SolidsWorld& world) {
  return 2.0 * world.coordinates()[2];
}

TEST_F(MaterialChange, a_body_has_factors_and_values_of_its_groups) {
  SolidsWorld soft(ball_over("soft.h5"), nullptr);
  ASSERT_EQ(soft.parameters().size(), 8U);
  EXPECT_EQ(soft.parameter(index_of(soft, "ground.stiffness")), 1.0);
  EXPECT_EQ(soft.parameter(index_of(soft, "ground.density")), 1.0);
  EXPECT_EQ(soft.parameter(index_of(soft, "ground.damping")), 1.0);

  SolidsWorld world(ball_over("editable.h5"), nullptr);
  ASSERT_EQ(world.parameters().size(), 14U);
  EXPECT_EQ(world.parameter(index_of(world, "ground.lambda.base")), 100.0);
  EXPECT_EQ(world.parameter(index_of(world, "ground.mu.rim")), 40.0);
  EXPECT_EQ(world.parameter(index_of(world, "ground.density.rim")), 500.0);
  for (std::size_t i = 0; i < world.parameters().size(); ++i) {
    EXPECT_FALSE(world.set_parameter(i, world.parameters()[i].maximum * 1.01));
    EXPECT_FALSE(world.set_parameter(i, std::numeric_limits<double>::quiet_NaN()));
  }
  EXPECT_FALSE(world.set_parameter(14, 1.0));
  EXPECT_TRUE(std::isnan(world.parameter(14)));
}

TEST_F(MaterialChange, the_reason_why_a_body_has_no_such_parameter) {
  const SolidsWorld soft(ball_over("soft.h5"), nullptr);
  EXPECT_EQ(soft.why_absent("ball.mu.base"), "ball is rigid");
  EXPECT_EQ(soft.why_absent("ground.mu.base"),
            "the model of ground has no polynomials for its material groups, or is simulated in "
            "linear modes: bake it with [material] editable = true");
  EXPECT_EQ(soft.why_absent("ground.stifness"), "");
  EXPECT_EQ(soft.why_absent("groundstiffness"), "");
  EXPECT_EQ(soft.why_absent(""), "");
  const SolidsWorld editable(ball_over("editable.h5"), nullptr);
  EXPECT_EQ(editable.why_absent("ground.mu.stem"), "");
}

// In equilibrium the contact force equals stiffness times depression; the contact is a spring, too.
TEST_F(MaterialChange, stiffness_and_lame_parameters_change_the_depression) {
  SolidsWorld world(ball_over("editable.h5"), nullptr);
  const DeviceState hand = hand_at(0.0, 0.0, -4e-3);
  const auto settled = [&] {
    const WorldOutput output = hold(world, hand, 4000);
    return -output.contact_wrench.force.z() / depression(world);  // N/m
  };
  // q = depression / 2; force on q = 2 force on the plane: K = 800 / 4 + 5e6 / 16 depression^2.
  const auto expected = [&](double share) {
    return share * (200.0 + 5e6 / 16.0 * std::pow(depression(world), 2.0));
  };
  double stiffness = settled();
  EXPECT_NEAR(stiffness, expected(1.0), 1e-6 * stiffness);
  ASSERT_TRUE(world.set_parameter(index_of(world, "ground.stiffness"), 2.0));
  stiffness = settled();
  EXPECT_NEAR(stiffness, expected(2.0), 1e-6 * stiffness);
  ASSERT_TRUE(world.set_parameter(index_of(world, "ground.mu.rim"), 160.0));  // a quarter, fourfold
  stiffness = settled();
  EXPECT_NEAR(stiffness, expected(3.5), 1e-6 * stiffness);
  EXPECT_EQ(world.parameter(index_of(world, "ground.mu.rim")), 160.0);
}

// Force on a hand that holds still while the body under it gets four times stiffer and denser.
TEST_F(MaterialChange, the_force_changes_smoothly) {
  for (const char* model : {"editable.h5", "soft.h5"}) {
    SolidsWorld world(ball_over(model), nullptr);
    const DeviceState hand = hand_at(0.0, 0.0, -4e-3);
    const double before = hold(world, hand, 4000).device_wrench.force.z();
    ASSERT_TRUE(world.set_parameter(index_of(world, "ground.stiffness"), 4.0));
    ASSERT_TRUE(world.set_parameter(index_of(world, "ground.density"), 4.0));
    double last = before, largest_step = 0.0;
    for (int i = 0; i < 4000; ++i) {
      const double now = hold(world, hand, 1).device_wrench.force.z();
      largest_step = std::max(largest_step, std::abs(now - last));
      last = now;
      if (i == 99) {
        const double halfway = world.parameter(index_of(world, "ground.stiffness"));
        EXPECT_NEAR(halfway, 2.5, 0.02);  // 100 of the 200 cycles of the ramp
      }
    }
    EXPECT_GT(last, 1.02 * before) << model;
    // An even share of the ramp's 200 cycles would be 0.5 % a cycle.
    EXPECT_LE(largest_step, 0.02 * (last - before)) << model;
  }
}

TEST_F(MaterialChange, density_and_damping_change_the_motion_not_the_rest) {
  const auto tail = [&](const char* key, double value) {
    SolidsWorld world(ball_over("soft.h5"), nullptr);
    hold(world, hand_at(0.0, 0.0, -4e-3), 2000);
    if (*key != 0) {
      EXPECT_TRUE(world.set_parameter(index_of(world, key), value));
    }
    hold(world, hand_at(0.0, 0.0, -4e-3), 2000);
    // Released: the plane swings back.
    hold(world, hand_at(0.0, 0.0, 20e-3), 1);
    double largest = 0.0;
    int crossings = 0;
    double last = -1.0;
    for (int i = 0; i < 1000; ++i) {
      hold(world, hand_at(0.0, 0.0, 20e-3), 1);
      const double q = world.coordinates()[2];
      if (q * last < 0.0) ++crossings;
      last = q;
      if (i >= 100) largest = std::max(largest, std::abs(q));
    }
    return std::pair(crossings, largest);
  };
  const auto baked = tail("", 0.0), heavy = tail("ground.density", 16.0),
             ringing = tail("ground.damping", 0.1), light = tail("ground.density", 0.25);
  EXPECT_LT(heavy.first, baked.first);
  EXPECT_GT(light.first, baked.first);
  EXPECT_GT(ringing.second, 10.0 * baked.second);
}

TEST_F(MaterialChange, a_cycle_that_changes_the_material_does_not_allocate) {
  for (const DynamicsIntegrator integrator :
       {DynamicsIntegrator::kNewmark, DynamicsIntegrator::kCentralDifferences,
        DynamicsIntegrator::kModal}) {
    Scene scene = ball_over("editable.h5");
    edit_solids(scene).dynamics.integrator = integrator;
    SolidsWorld world(scene, nullptr);
    const std::size_t stiffness = index_of(world, "ground.stiffness"),
                      density = index_of(world, "ground.density");
    WorldOutput output;
    int failures = 0;
    NoAllocation guard;
    for (int i = 0; i < 1000; ++i) {
      failures += world.step(stroke(i), output) != WorldStatus::kOk;
      failures += !world.set_parameter(stiffness, 1.0 + 0.01 * (i % 7));
      failures += !world.set_parameter(density, 1.0 + 0.1 * (i % 3));
    }
    EXPECT_EQ(failures, 0);
  }
}

TEST_F(MaterialChange, keys_that_collide_or_do_not_fit_are_refused) {
  const auto refusal = [](const Scene& scene) {
    try {
      SolidsWorld world(scene, nullptr);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Scene scene = ball_over("soft.h5");
  scene.bodies[0].name = "contact";
  EXPECT_NE(refusal(scene).find("contact.stiffness a second time"), std::string::npos)
      << refusal(scene);
  scene.bodies[0].name = std::string(60, 'x');
  EXPECT_NE(refusal(scene).find("at most 63"), std::string::npos) << refusal(scene);
}

// Bit for bit the model of the first columns (docs/methods/reduced-dynamics.md, test 14).
TEST_F(MaterialChange, truncated_body_equals_one_baked_with_fewer_columns) {
  Scene truncated = ball_over("lifting.h5");
  truncated.bodies[0].dimension = 2;
  SolidsWorld a(truncated, nullptr), b(ball_over("lifting2.h5"), nullptr);
  ASSERT_EQ(a.coordinates().size(), 2U);
  double largest = 0.0;
  for (int i = 0; i < 3000; ++i) {
    DeviceState hand = stroke(i);
    hand.pose.position.z() -= 1e-3;
    WorldOutput out_a, out_b;
    ASSERT_EQ(a.step(hand, out_a), WorldStatus::kOk);
    ASSERT_EQ(b.step(hand, out_b), WorldStatus::kOk);
    ASSERT_EQ(out_a.device_wrench.force, out_b.device_wrench.force);
    ASSERT_EQ(std::memcmp(a.coordinates().data(), b.coordinates().data(), 16), 0);
    largest = std::max(largest, std::abs(a.coordinates()[0]));
  }
  EXPECT_GT(largest, 0.0);
  truncated.bodies[0].dimension = 4;
  EXPECT_THROW(SolidsWorld(truncated, nullptr), InputError);
}

// On a linear body all three follow the same motion; the closed form needs no small step.
TEST_F(MaterialChange, integrators_agree_on_a_linear_body) {
  std::vector<double> ends;
  for (const DynamicsIntegrator integrator :
       {DynamicsIntegrator::kNewmark, DynamicsIntegrator::kCentralDifferences,
        DynamicsIntegrator::kModal}) {
    Scene scene = ball_over("soft.h5");
    edit_solids(scene).dynamics.integrator = integrator;
    edit_solids(scene).dynamics.implicit_contact = false;  // explicit contact for all three
    SolidsWorld world(scene, nullptr);
    for (int i = 0; i < 1000; ++i) hold(world, stroke(i), 1);
    ends.push_back(world.coordinates()[2]);
  }
  // Second order in dt: w dt = 0.028, and the decay multiplies (w dt)^2 by its length.
  EXPECT_NEAR(ends[0], ends[2], 1e-2 * std::abs(ends[2]));
  EXPECT_NEAR(ends[1], ends[2], 1e-2 * std::abs(ends[2]));
}

// 50 steps a second: 2/w_max is 0.0707 s, and the factor of the stiffness may reach 12.5.
TEST_F(MaterialChange, an_explicit_body_refuses_what_its_step_cannot_follow) {
  Scene scene = ball_over("soft.h5");
  scene.rate_hz = 50.0;
  edit_solids(scene).dynamics.integrator = DynamicsIntegrator::kCentralDifferences;
  SolidsWorld world(scene, nullptr);
  const std::size_t stiffness = index_of(world, "ground.stiffness");
  hold(world, hand_at(0.0, 0.0, -1e-3), 20);
  EXPECT_FALSE(world.set_parameter(stiffness, 13.0));
  EXPECT_EQ(world.parameter(stiffness), 1.0);
  const World::Range range = world.allowed(stiffness, 13.0);
  EXPECT_EQ(range.minimum, world.parameters()[stiffness].minimum);
  EXPECT_NEAR(range.maximum, 12.5, 0.01);  // halved twelve times
  ASSERT_TRUE(world.set_parameter(stiffness, range.maximum));
  hold(world, hand_at(0.0, 0.0, 5e-3), 2000);
  EXPECT_LT(std::abs(world.coordinates()[2]), 1e-3);
  // Of the coupling: as the table has it.
  EXPECT_EQ(world.allowed(kContactStiffness, 1.0).maximum,
            world.parameters()[kContactStiffness].maximum);
}

TEST_F(MaterialChange, growth_beyond_the_limit_is_a_fault) {
  Scene scene = ball_over("unstable.h5");
  edit_solids(scene).dynamics.displacement_limit = 1e-3;
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 1);
  WorldOutput output;
  WorldStatus status = WorldStatus::kOk;
  for (int i = 0; i < 20000 && status == WorldStatus::kOk; ++i) {
    status = world.step(hand_at(0.0, 0.0, -1e-3), output);
  }
  EXPECT_EQ(status, WorldStatus::kDiverged);
  EXPECT_EQ(output.failed_body, 0u);
  // One vertex of 0.25 kg: |u| = 2 |q|, and the root mean square is |u|.
  const Eigen::Map<const Eigen::Vector3d> q(world.coordinates().data());
  EXPECT_LE(2.0 * q.norm(), 1e-3);
  world.reset();
  EXPECT_EQ(world.step(hand_at(0.0, 0.0, 1e-3), output), WorldStatus::kOk);
}

}  // namespace
}  // namespace haptic::solids
