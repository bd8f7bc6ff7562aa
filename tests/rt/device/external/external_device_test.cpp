#include "rt/device/external/external_device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "tests/rt/device/external/external_rig.h"

namespace haptic {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(ExternalDevice, is_not_homed_without_an_adapter) {
  ExternalRig rig;
  EXPECT_EQ(rig.cycle(), DeviceStatus::kOk);
  EXPECT_FALSE(rig.heard.homed);
  EXPECT_FALSE(rig.device.force_may_act());
  EXPECT_TRUE(rig.device.capabilities().needs_homing);
  EXPECT_TRUE(rig.device.capabilities().has_motors);
}

TEST(ExternalDevice, is_stopped_once_the_guard_has_demanded_zero) {
  ExternalRig rig;
  rig.start();
  EXPECT_FALSE(rig.heard.emergency_stop);
  rig.memory->guard_zero = 1;
  rig.publish();
  static_cast<void>(rig.cycle());
  EXPECT_TRUE(rig.heard.emergency_stop);
  rig.disconnect();
  static_cast<void>(rig.cycle());
  EXPECT_TRUE(rig.heard.emergency_stop);  // without an adapter, too
}

TEST(ExternalDevice, passes_pose_and_wrench_unchanged) {
  ExternalRig rig(six_freedoms());
  rig.pose.orientation[0] = std::cos(0.3);
  rig.pose.orientation[2] = std::sin(0.3);
  rig.pose.velocity[2] = 0.25;
  rig.pose.angular_velocity[1] = -1.5;
  rig.pose.buttons = 5;
  rig.start();
  EXPECT_TRUE(rig.heard.homed);
  EXPECT_DOUBLE_EQ(rig.heard.pose.orientation.y(), std::sin(0.3));
  EXPECT_EQ(rig.heard.twist.linear.z(), 0.25);
  EXPECT_EQ(rig.heard.twist.angular.y(), -1.5);
  EXPECT_EQ(rig.heard.buttons, 5u);
  EXPECT_EQ(rig.heard.taken_ns, rig.pose.time_ns);
  ASSERT_TRUE(rig.apply());
  EXPECT_EQ(rig.applied.force[1], 2.0);
  EXPECT_TRUE(rig.device.force_may_act());
}

TEST(ExternalDevice, three_freedoms_ignore_orientation_and_its_garbage) {
  ExternalRig rig;
  rig.pose.orientation[0] = kNaN;
  rig.pose.angular_velocity[0] = kNaN;
  rig.start();
  EXPECT_EQ(rig.heard.pose.orientation.w(), 1.0);
  EXPECT_TRUE(rig.heard.twist.angular.isZero(0.0));
}

TEST(ExternalDevice, a_force_beyond_the_rating_is_shortened_and_one_not_finite_refused) {
  ExternalRig rig;
  rig.force = {0.0, -80.0, 0.0};
  rig.start();
  ASSERT_TRUE(rig.apply());
  EXPECT_DOUBLE_EQ(rig.applied.force[1], -5.0);
  rig.force = {0.0, kNaN, 0.0};
  rig.publish();
  rig.cycle();
  EXPECT_EQ(rig.wrench_status, DeviceStatus::kBadValue);
  EXPECT_FALSE(rig.apply());
  EXPECT_EQ(rig.applied.force[1], 0.0);
}

TEST(ExternalDevice, a_stale_pose_is_a_fault_after_its_age_and_no_earlier) {
  ExternalRig rig;
  rig.start();
  int cycles = 0;
  while (rig.cycle() == DeviceStatus::kOk && cycles < 100) ++cycles;
  // The last pose was published a cycle's time before the last of start(): ages 2 to 10 ms pass.
  EXPECT_EQ(cycles, 9);
  EXPECT_EQ(rig.state.last.load(), LinkFinding::kStale);
  EXPECT_TRUE(rig.state.hung.load());  // the force was not taken back
  rig.apply();
  EXPECT_EQ(rig.applied.force[1], 0.0);
  EXPECT_EQ(rig.cycle(), DeviceStatus::kOk);  // released: waits, not homed
  EXPECT_FALSE(rig.heard.homed);
  EXPECT_EQ(rig.run(2), DeviceStatus::kOk);  // and goes on by itself
  EXPECT_TRUE(rig.heard.homed);
  EXPECT_FALSE(rig.state.hung.load());
}

TEST(ExternalDevice, an_adapter_that_leaves_or_is_replaced_while_driven_is_a_fault) {
  ExternalRig rig;
  rig.start();
  rig.disconnect();
  EXPECT_EQ(rig.cycle(), DeviceStatus::kDisconnected);
  EXPECT_FALSE(rig.apply());
  EXPECT_EQ(rig.cycle(), DeviceStatus::kOk);
  EXPECT_FALSE(rig.heard.homed);

  rig.start();
  rig.connect(8);
  rig.publish();
  EXPECT_EQ(rig.cycle(), DeviceStatus::kDisconnected);
  EXPECT_EQ(rig.run(3), DeviceStatus::kOk);
  EXPECT_TRUE(rig.heard.homed);
}

TEST(ExternalDevice, poses_of_the_adapter_before_are_not_used) {
  ExternalRig rig;
  rig.start();
  rig.engaged = false;
  rig.cycle();
  // Reconnected, and the old process still writes.
  rig.state.instance = rig.memory->instance = 9;
  rig.adapter.instance = 9;
  rig.cycle();
  EXPECT_FALSE(rig.heard.homed);
  EXPECT_EQ(rig.state.refused.load(), 0u);
}

TEST(ExternalDevice, a_torn_record_is_counted_and_the_last_pose_kept) {
  ExternalRig rig;
  rig.start();
  rig.publish();
  rig.memory->poses[rig.adapter.sequence % HAPTIC_LINK_SLOTS].version -= 1;  // writer in it
  EXPECT_EQ(rig.cycle(), DeviceStatus::kOk);
  EXPECT_TRUE(rig.heard.homed);
  EXPECT_EQ(rig.state.torn.load(), 1u);
  EXPECT_EQ(rig.state.refused.load(), 0u);
}

TEST(ExternalDevice, memory_that_is_emptied_becomes_stale) {
  ExternalRig rig;
  rig.start();
  // A hole that is punched into the memfd reads as zeros.
  *rig.memory = {};
  DeviceStatus status = DeviceStatus::kOk;
  int cycles = 0;
  while ((status = rig.cycle()) == DeviceStatus::kOk && cycles < 100) ++cycles;
  EXPECT_EQ(status, DeviceStatus::kStale);
  EXPECT_EQ(cycles, 9);
}

TEST(ExternalDevice, flags_stop_error_and_not_homed) {
  ExternalRig rig;
  rig.start();
  rig.pose.flags = HAPTIC_LINK_HOMED | HAPTIC_LINK_STOP;
  rig.publish();
  EXPECT_EQ(rig.cycle(), DeviceStatus::kOk);
  EXPECT_TRUE(rig.heard.emergency_stop);
  rig.pose.flags = HAPTIC_LINK_ERROR;
  rig.publish();
  EXPECT_EQ(rig.cycle(), DeviceStatus::kDisconnected);
  rig.pose.flags = 0;
  rig.pose.position[0] = kNaN;  // means nothing
  EXPECT_EQ(rig.run(3), DeviceStatus::kOk);
  EXPECT_FALSE(rig.heard.homed);
}

TEST(ExternalDevice, records_between_two_cycles_are_counted) {
  ExternalRig rig;
  rig.start();
  for (int i = 0; i < 50; ++i) rig.publish();
  EXPECT_EQ(rig.cycle(), DeviceStatus::kOk);
  EXPECT_EQ(rig.state.skipped.load(), 49u);
}

// An adapter without a pause: every accepted record is whole, and the reader never waits.
TEST(ExternalDevice, a_flood_of_records_is_read_whole) {
  ExternalSettings settings = shipped_external_settings();
  settings.max_age_s = 1e6;
  settings.limits.speed = 1e3;  // the pose moves as fast as the adapter can write
  auto memory = std::make_unique<haptic_link_memory>();
  LinkState state;
  memory->instance = 3;
  state.instance = 3;
  ExternalDevice device(settings, *memory, state);
  std::atomic<bool> stop{false};
  std::thread adapter([&] {
    haptic_link link{};
    link.memory = memory.get();
    link.instance = 3;
    haptic_link_pose pose{};
    pose.flags = HAPTIC_LINK_HOMED;
    for (std::uint64_t i = 0; !stop; ++i) {
      const double value = 1e-3 * std::sin(1e-3 * static_cast<double>(i));
      for (double& x : pose.position) x = value;
      for (double& v : pose.velocity) v = value;
      pose.time_ns = 0;
      haptic_link_publish(&link, &pose);
    }
  });
  DeviceState heard;
  int different = 0;
  double last = 2.0;
  // Until it has read enough poses; torn ones do not count.
  while (different < 20'000) {
    ASSERT_EQ(device.sense(heard), DeviceStatus::kOk);
    if (!heard.homed || heard.pose.position.x() == last) continue;
    last = heard.pose.position.x();
    ++different;
    ASSERT_EQ(heard.pose.position.y(), last);
    ASSERT_EQ(heard.pose.position.z(), last);
    ASSERT_EQ(heard.twist.linear.z(), last);
  }
  stop = true;
  adapter.join();
  EXPECT_EQ(state.refused.load(), 0u);
  EXPECT_GT(state.skipped.load(), 0u);
}

}  // namespace
}  // namespace haptic
