#include "rt/worlds/solids/pull_spring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/rt/worlds/solids/soft_bodies_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

using testing::HasSubstr;

class PullSpringTest : public SoftBodies {
 protected:
  static constexpr double kStiffness = 300.0;  // N/m

  /// Pulls a point of a body to a place.
  static Pull pull_of(const SolidsWorld& world, const std::string& body, const Vector3& at_rest,
                      const Vector3& target, double limit = 100.0, bool is_relative = false) {
    Pull pull;
    pull.at_rest = at_rest;
    pull.target = target;
    pull.is_relative = is_relative;
    pull.stiffness = kStiffness;
    pull.limit = limit;
    EXPECT_EQ(world.prepare_pull(body, pull), "");
    return pull;
  }
  static std::string refusal(const SolidsWorld& world, const std::string& body,
                             const Vector3& at_rest, double stiffness = 1.0, double limit = 1.0) {
    Pull pull;
    pull.at_rest = at_rest;
    pull.stiffness = stiffness;
    pull.limit = limit;
    return world.prepare_pull(body, pull);
  }
};

TEST_F(PullSpringTest, bends_an_anchored_body_as_far_as_its_springs_say) {
  FreePoints body = points();
  body.damping = 40.0;
  body.write(folder_ / "damped.h5");
  Scene scene = ground();
  scene.bodies.push_back({"soft", folder_ / "damped.h5", BodyRole::kAnchored, {}});
  SolidsWorld world(scene, nullptr);
  constexpr int kPoint = 2;
  const Vector3 at_rest = body.centre + body.places.col(kPoint);
  const Vector3 target = at_rest + Vector3(0.02, -0.01, 0.03);
  for (const double limit : {100.0, 0.5}) {
    ASSERT_TRUE(world.pull(pull_of(world, "soft", at_rest, target, limit)));
    hold(world, {}, 4000);
    const Vector3 stretch = target - place(world, 2, body, kPoint);
    // The bound is reached by the second spring only.
    const Vector3 force = stretch * std::min(kStiffness, limit / stretch.norm());
    EXPECT_EQ(limit<1.0, kStiffness * stretch.norm()> limit);
    Eigen::VectorXd expected = body.basis.middleRows(3 * kPoint, 3).transpose() * force;
    for (Eigen::Index j = 0; j < kModes; ++j) {
      expected[j] /= body.eigenvalues[static_cast<std::size_t>(j)];
    }
    // The surface has floats.
    EXPECT_LE((values(world.deformable(2)->q()) - expected).norm(), 1e-6 * expected.norm());
  }
}

TEST_F(PullSpringTest, lifts_a_free_body_until_it_lets_go) {
  Scene scene = ground();
  add(scene, "cube.h5", {0.1, 0.0, 0.5});
  SolidsWorld world(scene, nullptr);
  const NoAllocation none;
  Pull pull;
  pull.target = {0.0, 0.1, 0.2};
  pull.is_relative = true;
  pull.stiffness = kStiffness;
  pull.limit = 100.0;
  pull.body = 2;
  ASSERT_TRUE(world.pull(pull));
  hold(world, {}, 1);
  // In the first step the anchor makes a fiftieth of its way, so the force begins at zero: backward
  // Euler for m v' = k (a - p) - k tau v - m g.
  const Vector3 anchor = kStep / PullSpring::kMove_s * Vector3(0.0, 0.1, 0.2);
  const double damper = kStiffness * (PullSpring::kRelaxation_s + kStep);
  const Vector3 first =
      kStep / (kMass + kStep * damper) * (kStiffness * anchor - kMass * kG * Vector3::UnitZ());
  EXPECT_LE((world.free_bodies()[0]->momentum() - kMass * first).norm(), 1e-12 * kMass);
  hold(world, {}, 3000);
  const Vector3 rest = Vector3(0.1, 0.1, 0.7 - kMass * kG / kStiffness);
  EXPECT_LE((position(world, 2) - rest).norm(), 1e-9);
  ASSERT_TRUE(world.pull({}));
  hold(world, {}, 100);
  EXPECT_NEAR(position(world, 2).z(), rest.z() - kG * 0.5 * 0.1 * 0.101, 1e-9);
}

TEST_F(PullSpringTest, bends_and_carries_a_free_body_that_deforms) {
  const FreePoints body = points();
  Scene scene = ground(Vector3::Zero());
  const Vector3 at(0.0, 0.0, 1.0);
  const std::size_t soft = add(scene, "points.h5", origin_for(body, 3, at));
  SolidsWorld world(scene, nullptr);
  const Vector3 at_rest = body.centre + body.places.col(3);
  const std::string name = scene.bodies[soft].name;
  ASSERT_TRUE(world.pull(pull_of(world, name, at_rest, {0.0, 0.0, 0.1}, 100.0, true)));
  double bent = 0.0;
  for (int i = 0; i < 400; ++i) {
    hold(world, {}, 1);
    bent = std::max(bent, values(world.deformable(soft)->q()).norm());
  }
  EXPECT_GT(bent, 1e-4);
  EXPECT_GT(place(world, soft, body, 3).z(), 1.05);
  // Without the pull, what it has got is kept.
  ASSERT_TRUE(world.pull({}));
  const Vector3 momentum = world.free_bodies()[0]->momentum();
  hold(world, {}, 400);
  EXPECT_LE((world.free_bodies()[0]->momentum() - momentum).norm(), 1e-12 * momentum.norm());
}

TEST_F(PullSpringTest, the_hand_feels_the_pull_at_the_held_body) {
  Scene scene = ground();
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 1);
  ASSERT_TRUE(world.pull(pull_of(world, "ball", Vector3::Zero(), {0.01, 0.0, 0.0}, 1.0, true)));
  const WorldOutput output = hold(world, {}, 2000);
  EXPECT_GT(output.contact_wrench.force.x(), 0.3);
  EXPECT_NEAR(output.device_wrench.force.x(), output.contact_wrench.force.x(), 1e-6);
  world.reset();
  EXPECT_EQ(hold(world, {}, 2000).contact_wrench.force.norm(), 0.0);
}

TEST_F(PullSpringTest, what_cannot_be_is_refused_with_a_reason) {
  FreePoints clamped = points();
  clamped.basis.middleRows(0, 3).setZero();
  clamped.write(folder_ / "clamped.h5");
  Scene scene = ground();
  add(scene, "cube.h5", {0.1, 0.0, 0.5});
  scene.bodies.push_back({"clamped", folder_ / "clamped.h5", BodyRole::kAnchored, {}});
  const SolidsWorld world(scene, nullptr);
  const Vector3 fixed = clamped.centre + clamped.places.col(0);
  EXPECT_THAT(refusal(world, "cow", Vector3::Zero()), HasSubstr("no body \"cow\"; there are"));
  EXPECT_THAT(refusal(world, "ground", Vector3::Zero()), HasSubstr("does not move"));
  EXPECT_THAT(refusal(world, "free2", {1.0, 0.0, 0.0}), HasSubstr("1 m from the origin"));
  EXPECT_THAT(refusal(world, "clamped", fixed), HasSubstr("is fixed there"));
  EXPECT_THAT(refusal(world, "clamped", {9.0, 0.0, 0.0}), HasSubstr("on it is"));
  EXPECT_THAT(refusal(world, "free2", Vector3::Zero(), 1e7), HasSubstr("a stiffness of 1e+07"));
  EXPECT_THAT(refusal(world, "free2", Vector3::Zero(), 1.0, 1e4), HasSubstr("a force of 10000 N"));
  EXPECT_EQ(refusal(world, "free2", Vector3::Zero()), "");
  Pull away;
  away.target = {0.0, 2e3, 0.0};
  away.stiffness = away.limit = 1.0;
  EXPECT_THAT(world.prepare_pull("free2", away), HasSubstr("a place 2000 m away"));
  const SolidsWorld without(ball_over("soft.h5"), nullptr);
  EXPECT_THAT(refusal(without, "ground", Vector3::Zero()), HasSubstr("/surface/basis"));
  Scene explicit_step = ball_over("soft.h5");
  edit_solids(explicit_step).dynamics.implicit_contact = false;
  SolidsWorld other(explicit_step, nullptr);
  EXPECT_THAT(refusal(other, "ball", Vector3::Zero()), HasSubstr("implicit step"));
  Pull pull;
  pull.body = 1;
  EXPECT_FALSE(other.pull(pull));
  EXPECT_TRUE(other.pull({}));
}

}  // namespace
}  // namespace haptic::solids
