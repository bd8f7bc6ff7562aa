#include "rt/device/hand_goal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <utility>

#include "rt/device/simulated_device.h"

namespace haptic {
namespace {

constexpr double kRate = 1000.0;

HandScript at(double x) {
  HandSample row{0.0, Pose{}};
  row.pose.position.x() = x;
  return HandScript({row});
}

/// From x = 0 along y at 0.1 m/s, button 1 pressed.
HandScript along_y() {
  HandSample a{0.0, Pose{}, 2}, b{1.0, Pose{}, 2};
  b.pose.position.y() = 0.1;
  return HandScript({a, b});
}

TEST(HandGoal, exchange_k_is_at_k_over_the_rate) {
  HandGoal goal(along_y(), kRate, false);
  for (std::uint64_t k = 0; k < 1500; ++k) {
    goal.advance(k);
    const double time = static_cast<double>(k) / kRate;
    ASSERT_EQ(goal.pose().position, along_y().pose(time).position);
    ASSERT_EQ(goal.twist().linear, along_y().twist(time).linear);
    ASSERT_EQ(goal.buttons(), 2u);
  }
}

TEST(HandGoal, another_script_is_reached_without_a_jump_and_begins_with_its_start) {
  HandGoal goal(at(0.0), kRate, false);
  goal.advance(0);
  HandSample a{0.0, Pose{}, 1}, b{0.5, Pose{}, 1};
  a.pose.position = {0.06, 0.08, 0.0};  // 0.1 m away: 0.5 s on the way
  a.pose.orientation = rotation_exponential(Vector3(0.0, 0.0, 0.4));
  b.pose = a.pose;
  b.pose.position.z() = 0.05;
  goal.follow(HandScript({a, b}));
  Pose before = goal.pose();
  const std::uint64_t arrival = 501;
  for (std::uint64_t k = 1; k <= arrival + 600; ++k) {
    goal.advance(k);
    const double moved = (goal.pose().position - before.position).norm();
    // 1.5 times the average speed, to the curvature of one exchange.
    ASSERT_LE(moved, 1.501 * HandGoal::kTravelSpeed / kRate) << k;
    if (k < arrival) {  // the twist of a row is that of the segment that begins there
      ASSERT_NEAR(goal.twist().linear.norm() / kRate, moved, 2e-6) << k;
    }
    ASSERT_NEAR(goal.pose().orientation.norm(), 1.0, 1e-12);
    ASSERT_EQ(goal.buttons(), k < arrival ? 0u : 1u) << k;
    if (k == arrival - 1) {
      ASSERT_GT((goal.pose().position - a.pose.position).norm(), 0.0);
    }
    if (k == arrival) {
      ASSERT_EQ(goal.pose().position, a.pose.position);
    }
    before = goal.pose();
  }
  EXPECT_EQ(before.position.z(), 0.05);
}

TEST(HandGoal, a_turn_alone_takes_its_time_too) {
  HandGoal goal(at(0.0), kRate, false);
  goal.advance(0);
  HandSample turned{0.0, Pose{}};
  turned.pose.orientation = rotation_exponential(Vector3(1.0, 0.0, 0.0));  // 1 rad: 0.5 s
  goal.follow(HandScript({turned}));
  for (std::uint64_t k = 1; k < 501; ++k) {
    goal.advance(k);
    ASSERT_LE(goal.twist().angular.norm(), 1.501 * HandGoal::kTravelAngularSpeed);
  }
  EXPECT_NEAR(rotation_logarithm(goal.pose().orientation).x(), 1.0, 2e-5);
  goal.advance(501);
  EXPECT_NEAR(rotation_logarithm(goal.pose().orientation).x(), 1.0, 1e-12);
}

TEST(HandGoal, the_same_place_needs_no_way) {
  HandGoal goal(at(0.03), kRate, false);
  goal.advance(0);
  goal.follow(at(0.03));
  goal.advance(1);
  EXPECT_EQ(goal.pose().position.x(), 0.03);
  EXPECT_EQ(goal.twist().linear.norm(), 0.0);
}

TEST(HandGoal, scripts_may_be_replaced_while_the_loop_runs) {
  HandGoal goal(at(0.0), kRate, false);
  std::thread other([&goal] {
    for (int i = 0; i < 2000; ++i) goal.follow(at(1e-4 * (i % 7)));
  });
  for (std::uint64_t k = 0; k < 20000; ++k) {
    goal.advance(k);
    ASSERT_TRUE(goal.pose().position.allFinite());
    ASSERT_LE(std::abs(goal.pose().position.x()), 6e-4 + 1e-12);
  }
  other.join();
  for (std::uint64_t k = 20000; k < 21000; ++k) goal.advance(k);
  EXPECT_EQ(goal.pose().position.x(), 1e-4 * (1999 % 7));
}

TEST(HandGoal, a_steered_hand_goes_to_its_target_at_a_limited_speed) {
  HandGoal goal(HandScript(), kRate, true);
  goal.steer(0, 0.05);
  goal.steer(5, 1.0);
  Pose before = goal.pose();
  for (std::uint64_t k = 0; k < 100; ++k) {  // 0.05 m at 0.5 m/s
    goal.advance(k);
    ASSERT_LE((goal.pose().position - before.position).norm(), 5.0001e-4);
    ASSERT_LE(goal.twist().angular.norm(), 4.0001);
    before = goal.pose();
  }
  EXPECT_NEAR(goal.pose().position.x(), 0.05, 1e-12);
  for (std::uint64_t k = 100; k < 300; ++k) goal.advance(k);
  EXPECT_NEAR(rotation_logarithm(goal.pose().orientation).z(), 1.0, 1e-12);
  EXPECT_EQ(goal.twist().linear.norm(), 0.0);
}

TEST(HandGoal, a_steered_device_has_parameters_and_follows_them) {
  HandSettings hand;
  hand.kind = HandKind::kSteered;
  SimulatedDevice device(HandScript(), kRate, hand);
  ASSERT_EQ(device.capabilities().parameters.size(), HandGoal::kCoordinates);
  EXPECT_EQ(device.capabilities().parameters[1].name, "hand.y");
  EXPECT_EQ(device.capabilities().parameters[1].maximum, device.capabilities().workspace_radius);
  device.set_parameter(1, -0.02);
  EXPECT_EQ(device.parameter(1), -0.02);
  DeviceState state;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate(Wrench{}), DeviceStatus::kOk);
  }
  // Spring and damper of the default hand decay as exp(-25 t).
  EXPECT_NEAR(state.pose.position.y(), -0.02, 1e-9);
  EXPECT_TRUE(SimulatedDevice(HandScript(), kRate).capabilities().parameters.empty());
}

}  // namespace
}  // namespace haptic
