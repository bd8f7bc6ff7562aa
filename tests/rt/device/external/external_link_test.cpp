#include "shared/ipc/external_link.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "tests/rt/device/external/external_rig.h"
#include "tests/rt/device/external/link_in_c.h"

namespace haptic {
namespace {

// The same header in both languages: a record that C wrote is read here, and the other way round.
TEST(ExternalLink, c_and_cpp_agree_on_the_layout) {
  EXPECT_EQ(layout_in_c(), haptic_link_layout());
  EXPECT_EQ(size_in_c(), sizeof(haptic_link_memory));
  auto memory = std::make_unique<haptic_link_memory>();
  memory->instance = 5;
  publish_in_c(memory.get(), 5, 0.25);
  haptic_link_pose pose{};
  ASSERT_TRUE(haptic_link_read(&memory->poses[1].version, &pose, HAPTIC_LINK_POSE_WORDS, 1));
  EXPECT_EQ(pose.position[2], 0.25);
  EXPECT_EQ(pose.flags, HAPTIC_LINK_HOMED);
  EXPECT_EQ(pose.sequence, 1u);
}

TEST(ExternalLink, records_fit_their_slots_and_directions_share_no_cache_line) {
  static_assert(HAPTIC_LINK_POSE_WORDS <= 23 && HAPTIC_LINK_WRENCH_WORDS <= 15);
  static_assert(offsetof(haptic_link_memory, newest_wrench) % 64 == 0);
  static_assert(offsetof(haptic_link_memory, wrenches) % 64 == 0);
  static_assert(offsetof(haptic_link_memory, newest_pose) % 64 == 0);
  static_assert(offsetof(haptic_link_memory, poses) % 64 == 0);
}

class ExternalWrench : public ::testing::Test {
 protected:
  ExternalWrench() {
    rig.start();
    rig.publish();
    rig.cycle();
  }
  ExternalRig rig;
};

TEST_F(ExternalWrench, is_zero_once_the_beat_is_older_than_the_limit) {
  rig.clock.pass(0.010);
  EXPECT_TRUE(rig.apply());
  EXPECT_EQ(rig.applied.force[1], 2.0);
  rig.clock.now += 1;
  EXPECT_FALSE(rig.apply());
  EXPECT_EQ(rig.applied.force[1], 0.0);
  EXPECT_EQ(rig.applied.state, 0u);
}

TEST_F(ExternalWrench, is_zero_for_a_beat_from_the_future) {
  rig.clock.now -= 5'000'000;
  EXPECT_FALSE(rig.apply());
}

TEST_F(ExternalWrench, is_zero_while_not_driven_or_replaced) {
  rig.memory->instance = 8;
  EXPECT_FALSE(rig.apply());
  EXPECT_EQ(haptic_link_publish(&rig.adapter, &rig.pose), -1);
  rig.memory->instance = 7;
  EXPECT_TRUE(rig.apply());
  rig.engaged = false;
  rig.publish();
  rig.cycle();
  EXPECT_FALSE(rig.apply());
}

TEST_F(ExternalWrench, is_zero_after_the_guards_demand_and_confirmed) {
  EXPECT_TRUE(rig.apply());
  EXPECT_EQ(rig.memory->zero_since_ns, 0);
  EXPECT_TRUE(rig.device.force_may_act());
  rig.memory->guard_zero = 1;
  EXPECT_FALSE(rig.apply());
  EXPECT_NE(rig.memory->zero_since_ns, 0);
  EXPECT_FALSE(rig.device.force_may_act());
}

TEST_F(ExternalWrench, is_zero_where_it_is_not_finite_or_torn) {
  haptic_link_wrench wrench{};
  wrench.state = HAPTIC_LINK_DRIVES;
  wrench.time_ns = rig.clock.now;
  wrench.torque[2] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(haptic_link_judge_wrench(&rig.adapter, &wrench, rig.clock.now));
  EXPECT_EQ(wrench.torque[2], 0.0);
  for (haptic_link_wrench_slot& slot : rig.memory->wrenches) slot.version -= 1;
  EXPECT_FALSE(rig.apply());
  EXPECT_EQ(rig.applied.force[1], 0.0);
}

}  // namespace
}  // namespace haptic
