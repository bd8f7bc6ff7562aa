#include "rt/worlds/cloth/contact/point_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "rt/worlds/cloth/contact/contact_step.h"
#include "tests/rt/worlds/cloth/contact/contact_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr double kLag = 0.01;  // m

/// Planes around a pocket whose sides rise by `angle` [rad], a point at its bottom, the hand below.
PointContact pocket(std::uint32_t sides, double angle, const Vector3& lag = {0.0, 0.0, kLag}) {
  PointContact point;
  point.lag = lag;
  point.count = sides;
  for (std::uint32_t i = 0; i < sides; ++i) {
    const double turn = 2.0 * M_PI * i / sides;
    point.planes[i].normal = {std::sin(angle) * std::cos(turn), std::sin(angle) * std::sin(turn),
                              std::cos(angle)};
    point.planes[i].part = 1.0 / sides;
  }
  return point;
}

TEST(PointContact, on_one_plane_only_the_depth_counts) {
  PointContact point = pocket(1, 0.0, {0.003, 0.0, kLag});
  point.make_up();
  const PointContact::Held held = point.held({});
  EXPECT_LT((held.spring - Vector3(0.0, 0.0, kLag)).norm(), 1e-7 * kLag);
  EXPECT_LT((held.free - Matrix3(Vector3(1.0, 1.0, 0.0).asDiagonal())).norm(), 1e-3);
  // The cloth moves down by a tenth.
  EXPECT_NEAR(point.held({-0.1 * kLag}).spring.z(), 0.9 * kLag, 1e-4 * kLag);
  EXPECT_EQ(point.held({-1.1 * kLag}).spring.norm(), 0.0) << "it never pulls";
}

// Three degrees of freedom together: in a shallow pocket too the whole spring acts sideways, where
// the planes by themselves have k sin^2 of the angle.
TEST(PointContact, in_a_pocket_the_spring_acts_in_every_direction) {
  for (const std::uint32_t sides : {3u, 4u, 6u}) {
    PointContact point = pocket(sides, 0.1);
    point.make_up();
    const Vector3 aside(1e-4, 2e-4, -1e-4);
    PointContact::Values moved{};
    for (std::uint32_t i = 0; i < sides; ++i) moved[i] = point.planes[i].normal.dot(aside);
    const Vector3 change = point.held(moved).spring - point.held({}).spring;
    EXPECT_LT((change - aside).norm(), 0.01 * aside.norm()) << sides;
  }
}

TEST(PointContact, the_load_of_many_planes_is_spread_evenly) {
  const PointContact point = pocket(6, 0.4);
  const PointContact::Held held = point.held({});
  for (std::uint32_t i = 1; i < 6; ++i) EXPECT_NEAR(held.lambda[i], held.lambda[0], 1e-9 * kLag);
}

TEST(PointContact, a_plane_that_it_does_not_reach_does_not_hold_it) {
  PointContact point = pocket(1, 0.0, {0.003, 0.0, kLag});
  point.planes[1].normal = Vector3(1.0, 0.0, 1.0).normalized();
  point.planes[1].offset = -0.003;
  point.count = 2;
  EXPECT_FALSE(point.held({}).by[1]);  // 3 mm aside, on the way to the hand's foot
  point.planes[1].offset = -0.001;
  EXPECT_TRUE(point.held({}).by[1]);
}

// lambda is the gradient of a convex potential: symmetric, against differences, and monotonous.
TEST(PointContact, forces_are_those_of_a_convex_potential) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> side(-1.0, 1.0);
  for (int trial = 0; trial < 200; ++trial) {
    PointContact point;
    point.lag = kLag * Vector3(side(random), side(random), 1.0);
    point.count = 5;
    PointContact::Values first{}, second{}, step{}, change{};
    for (std::uint32_t i = 0; i < point.count; ++i) {
      point.planes[i].normal = Vector3(side(random), side(random), 1.0).normalized();
      point.planes[i].offset = i < 2 ? 0.0 : -1e-3 * std::abs(side(random));
      first[i] = 1e-3 * side(random);
      second[i] = 1e-3 * side(random);
      step[i] = 1e-10 * side(random);
    }
    const PointContact::Held at_first = point.held(first), at_second = point.held(second);
    double product = 0.0;
    for (std::uint32_t i = 0; i < point.count; ++i) {
      product += (at_first.lambda[i] - at_second.lambda[i]) * (first[i] - second[i]);
    }
    EXPECT_GE(product, -1e-12) << trial;
    PointContact::Values moved = first;
    for (std::uint32_t i = 0; i < point.count; ++i) moved[i] += step[i];
    const PointContact::Held after = point.held(moved);
    if (after.by != at_first.by) continue;
    point.change(at_first, step, change);
    for (std::uint32_t i = 0; i < point.count; ++i) {
      EXPECT_NEAR(after.lambda[i] - at_first.lambda[i], change[i], 1e-8) << trial;
    }
  }
}

// On one plane the point is the contact of its spring.
TEST(PointContact, a_step_with_one_plane_is_that_of_a_contact) {
  for (const double stiffness : {100.0, 10'000.0}) {
    SampleCloth a = square_cloth(8, 0.02, cloth_materials(100.0, 0.02), weightless());
    SampleCloth b = square_cloth(8, 0.02, cloth_materials(100.0, 0.02), weightless());
    ContactStep with_point(a.system, kStep, tight_contact());
    ContactStep with_contact(b.system, kStep, tight_contact());
    const Vector3 lag(0.002, 0.0, kLag);
    PointContact point = pocket(1, 0.0, lag);
    point.planes[0].particles = {27, 28, 35};
    point.planes[0].weights = {0.5, 0.2, 0.3};
    point.stiffness = stiffness;
    point.friction = 0.1;
    point.make_up();
    ClothContact contact{.particles = {27, 28, 35}, .weights = {0.5, 0.2, 0.3}, .count = 3};
    contact.normal = -Vector3::UnitZ();
    contact.gap = -kLag;
    contact.stiffness = stiffness;
    contact.friction = 0.1;
    contact.stretch = {0.002, 0.0, 0.0};
    contact.last_normal_force = stiffness * kLag;
    with_point.set_point(point);
    ASSERT_TRUE(with_contact.add(contact));
    {
      NoAllocation guard;
      ASSERT_EQ(with_point.step(a.state), ClothStepResult::kOk);
    }
    ASSERT_EQ(with_contact.step(b.state), ClothStepResult::kOk);
    double most = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < a.state.v.size(); ++i) {
      most = std::max(most, std::abs(b.state.v[i]));
      difference = std::max(difference, std::abs(a.state.v[i] - b.state.v[i]));
    }
    EXPECT_LT(difference, 2e-3 * most);
    EXPECT_LT((with_point.force(0).force - with_contact.force(0).force).norm(),
              2e-3 * with_contact.force(0).force.norm());
  }
}

}  // namespace
}  // namespace haptic::cloth
