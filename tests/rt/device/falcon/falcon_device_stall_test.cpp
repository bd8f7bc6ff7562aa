// A stalled I/O thread: who detects it, when, and for how long.
#include <gtest/gtest.h>

#include "shared/error.h"
#include "tests/rt/device/falcon/falcon_rig.h"

namespace haptic {
namespace {

/// The servo's view, each millisecond, of a rig whose link does what the test has it do.
struct Watched {
  explicit Watched(FalconRig& rig_) : rig(rig_) {}
  /// Runs, and notes when reaches_motors() was false for the first and the last time.
  void run(double seconds) {
    rig.on_servo = [this] {
      const std::int64_t now = rig.bus.now_ns();
      if (!rig.falcon.reaches_motors()) {
        if (first_ns == 0) first_ns = now;
        last_ns = now;
      }
      if (rig.state.taken_ns > 0) oldest_ns = std::max(oldest_ns, now - rig.state.taken_ns);
    };
    rig.run(seconds);
    rig.on_servo = nullptr;
  }
  FalconRig& rig;
  std::int64_t first_ns = 0, last_ns = 0, oldest_ns = 0;
};

TEST(FalconStall, a_stalled_thread_under_torque_sends_nothing_to_the_motors) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  ASSERT_FALSE(rig.motors_off());
  EXPECT_TRUE(rig.falcon.reaches_motors());
  const std::int64_t begin = rig.bus.now_ns();
  rig.bus.fail(BusFault::kFrozen, 30 * kMillisecond);
  Watched servo(rig);
  servo.run(0.1);
  // stall_timeout_s after the last beat, seen by the next cycle.
  ASSERT_GT(servo.first_ns, 0);
  EXPECT_GE(servo.first_ns - begin, 9 * kMillisecond);
  EXPECT_LE(servo.first_ns - begin, 12 * kMillisecond);
  // And until the thread has exchanged again, which takes a millisecond from its return on.
  EXPECT_GE(servo.last_ns - begin, 29 * kMillisecond);
  EXPECT_LE(servo.last_ns - begin, 33 * kMillisecond);
  EXPECT_TRUE(rig.falcon.reaches_motors());
  EXPECT_GE(servo.oldest_ns, 29 * kMillisecond);  // the reading's age was told all along
  EXPECT_EQ(rig.link.counters().losses, 0U);
}

// A thread that resumes and finds no reply resets the device, which then counts as
// lost.
TEST(FalconStall, a_device_that_was_given_up_is_not_accessed) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  const std::int64_t begin = rig.bus.now_ns();
  rig.bus.fail(BusFault::kFrozen, 60 * kMillisecond);  // hang_timeout_s = 50 ms
  Watched servo(rig);
  servo.run(0.2);
  EXPECT_GE(servo.last_ns - begin, 59 * kMillisecond);
  EXPECT_LE(servo.last_ns - begin, 63 * kMillisecond);
  EXPECT_EQ(rig.link.counters().losses, 1U);
  EXPECT_EQ(rig.bus.resets(), 1);
}

TEST(FalconStall, without_torque_nothing_needs_to_be_reached) {
  FalconRig rig;
  rig.start();
  ASSERT_TRUE(rig.motors_off());
  rig.bus.fail(BusFault::kFrozen, 300 * kMillisecond);
  Watched servo(rig);
  servo.run(0.05);
  EXPECT_EQ(servo.first_ns, 0);
  EXPECT_EQ(rig.status, DeviceStatus::kDisconnected);
  EXPECT_GE(servo.oldest_ns, 95 * kMillisecond);  // until stale_s
  rig.run(2.0);
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
}

// After a torque the motors are known to be at zero once the reply to a zero torque has arrived.
TEST(FalconStall, after_a_release_the_torque_is_known_to_be_zero) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  ASSERT_FALSE(rig.motors_off());
  rig.force.setZero();
  rig.run(0.01);
  ASSERT_TRUE(rig.motors_off());
  rig.bus.fail(BusFault::kFrozen, 60 * kMillisecond);
  Watched servo(rig);
  servo.run(0.1);
  EXPECT_EQ(servo.first_ns, 0);
}

// No other process could reach these devices either: the thread keeps beating and handles the
// failure itself.
TEST(FalconStall, a_device_failure_is_not_a_stall) {
  for (const BusFault kind : {BusFault::kUnplugged, BusFault::kHung, BusFault::kMissing,
                              BusFault::kLate, BusFault::kStuckWrite, BusFault::kUnpowered}) {
    FalconRig rig;
    rig.force = {0, 0, 2};
    rig.start();
    ASSERT_FALSE(rig.motors_off());
    rig.bus.fail(kind, 300 * kMillisecond);
    Watched servo(rig);
    servo.run(0.4);
    EXPECT_EQ(servo.first_ns, 0) << static_cast<int>(kind);
  }
}

TEST(FalconStall, the_thread_beats_while_it_waits_for_a_reply) {
  FalconRig rig;
  rig.start();
  rig.bus.fail(BusFault::kHung, 9 * kMillisecond);
  std::int64_t longest = 0;
  rig.on_servo = [&] {
    longest = std::max(longest, rig.bus.now_ns() - rig.falcon.exchange().beat_ns.load());
  };
  rig.run(0.009);
  EXPECT_LE(longest, static_cast<std::int64_t>(1e9 * kFalconBeat_s) + kMillisecond / 10);
  EXPECT_GT(longest, 0);
}

TEST(FalconStall, readings_are_stamped_with_their_replys_time) {
  FalconRig rig;
  rig.start();
  Watched servo(rig);
  servo.run(0.5);
  EXPECT_GT(rig.state.taken_ns, 0);
  EXPECT_LE(servo.oldest_ns, 2 * kMillisecond);  // a reply each 0.92 ms
  Watched slow(rig);
  rig.bus.fail(BusFault::kMissing, kMillisecond);
  slow.run(0.05);
  EXPECT_GE(slow.oldest_ns, 10 * kMillisecond);  // reply_timeout_s, and asked again
  EXPECT_LE(slow.oldest_ns, 14 * kMillisecond);
}

TEST(FalconStall, the_manifest_sets_its_timeout) {
  EXPECT_EQ(shipped_settings().stall_s, 0.01);
  EXPECT_LT(shipped_settings().stall_s + 1e-3, 0.020);
}

}  // namespace
}  // namespace haptic
