// The bowls of the experiment `bowls`, and the steps that it compares.
#include "lab/experiments/bowl_stack.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "lab/experiments/stack_run.h"
#include "lab/multibody/linearized_stepper.h"

namespace haptic {
namespace {

class BowlStackTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder()); }
  /// Each process bakes for itself: the tests run side by side.
  static std::filesystem::path folder() {
    return std::filesystem::path(testing::TempDir()) / ("bowl_stack" + std::to_string(getpid()));
  }
  static BowlStack make() {
    BowlStackSettings settings;
    settings.bowls = 2;
    settings.points = 300;
    return BowlStack(folder(), settings);
  }
  /// Moves the second bowl along a straight line, in small steps.
  static std::uint64_t crossings(const Vector3& from, const Vector3& to) {
    const BowlStack stack = make();
    WallCrossings crossings(stack);
    std::vector<Pose> poses(4);
    for (int i = 0; i <= 100; ++i) {
      poses[3].position = from + 0.01 * i * (to - from);
      crossings.observe(poses);
    }
    return crossings.count();
  }
};

TEST_F(BowlStackTest, a_bowl_pushed_through_another_crosses_its_wall) {
  EXPECT_GT(crossings({0.0, 0.1, 0.0}, {0.0, -0.05, 0.0}), 100u);
  EXPECT_GT(crossings({0.2, 0.0, 0.0}, {0.0, 0.0, 0.0}), 100u);
}

TEST_F(BowlStackTest, a_bowl_put_into_another_or_set_beside_it_crosses_no_wall) {
  const BowlShape shape;
  EXPECT_EQ(crossings({0.0, 0.2, 0.0}, {0.0, shape.pitch, 0.0}), 0u);
  EXPECT_EQ(crossings({0.0, 0.1, 0.0}, {0.2, 0.1, 0.0}), 0u);
  EXPECT_EQ(crossings({0.2, 0.1, 0.0}, {0.2, 0.0, 0.0}), 0u);
}

TEST_F(BowlStackTest, explicit_and_implicit_steps_fall_alike_and_come_to_rest_at_one_height) {
  const BowlStack stack = make();
  constexpr double kRate = 2e4;
  const Scene scene = stack.scene(kRate);
  ImplicitStepper implicit(scene);
  ExplicitStepper symplectic(scene);
  const std::size_t upper = BowlStack::kFirst + 1;
  const auto height = [&](const BodyStepper& bodies) { return bodies.poses()[upper].position.y(); };
  constexpr int kFree = 200;
  for (int i = 0; i < kFree; ++i) ASSERT_TRUE(implicit.step() && symplectic.step());
  const double fallen = 0.5 * 9.81 * kFree * (kFree + 1) / (kRate * kRate);
  EXPECT_NEAR(height(implicit), stack.start_height(1) - fallen, 1e-12);
  EXPECT_NEAR(height(symplectic), stack.start_height(1) - fallen, 1e-12);
  for (int i = 0; i < 8000; ++i) ASSERT_TRUE(implicit.step() && symplectic.step());
  EXPECT_NEAR(height(implicit), stack.shape().pitch, 3e-4);
  EXPECT_NEAR(height(symplectic), height(implicit), 1e-4);
  EXPECT_GT(symplectic.report().contacts, 5u);
}

TEST(LargestStableStep, is_found_to_5_percent_from_either_side) {
  for (const double first : {1e-5, 1e-2}) {
    const double found = largest_stable_step(first, 1.0, [](double dt) { return dt < 3e-4; });
    EXPECT_LT(found, 3e-4);
    EXPECT_GT(found, 3e-4 / 1.05);
  }
  EXPECT_EQ(largest_stable_step(1e-3, 0.1, [](double) { return true; }), 0.1);
}

TEST_F(BowlStackTest, the_published_step_keeps_the_momentum_of_two_bowls) {
  const BowlStack stack = make();
  Scene scene = stack.scene(1000.0);
  scene.gravity.setZero();
  SceneBody &lower = scene.bodies[BowlStack::kFirst], &upper = scene.bodies[BowlStack::kFirst + 1];
  lower.pose.position.y() += 1.0;
  upper.pose.position.y() += 1.0;
  upper.velocity = {{0.02, -0.5, 0.0}, {0.0, 0.0, 2.0}};
  for (const PairGradient gradient :
       {PairGradient::kExact, PairGradient::kFixedNormal, PairGradient::kNormal,
        PairGradient::kNormalNoTurns, PairGradient::kNone}) {
    // Without gradients, a step of a tenth: the spring of a contact is explicit.
    scene.rate_hz = gradient == PairGradient::kNone ? 1e4 : 1e3;
    LinearizedStepper bodies(scene, gradient, 5.0);
    const auto momentum = [&] {
      return Vector3(bodies.momentum(BowlStack::kFirst) + bodies.momentum(BowlStack::kFirst + 1));
    };
    const Vector3 start = momentum();
    const double energy = bodies.energy();
    std::uint32_t contacts = 0;
    for (int i = 0; i < std::lround(0.1 * scene.rate_hz); ++i) {
      ASSERT_TRUE(bodies.step());
      contacts = std::max(contacts, bodies.report().contacts);
    }
    EXPECT_GT(contacts, 0u);
    EXPECT_GT(bodies.momentum(BowlStack::kFirst).norm(), 0.1 * start.norm());
    EXPECT_LT((momentum() - start).norm(), 1e-12 * start.norm());
    EXPECT_LT(bodies.energy(), energy);
  }
}

}  // namespace
}  // namespace haptic
