#include "rt/device/falcon/link.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/rt/device/falcon/falcon_rig.h"

namespace haptic {
namespace {

TEST(FalconLink, one_request_is_under_way_at_a_time) {
  FalconRig rig;
  rig.run(1.0);
  const FalconCounters& seen = rig.link.counters();
  // 20 us to write and 900 to answer: 1087 a second.
  EXPECT_NEAR(static_cast<double>(seen.exchanges), 1000.0, 100.0);
  EXPECT_NEAR(static_cast<double>(rig.device.requests()), static_cast<double>(seen.exchanges), 2.0);
  EXPECT_EQ(seen.missing, 0U);
  EXPECT_EQ(seen.skipped_bytes, 0U);
  EXPECT_EQ(seen.losses, 0U);
}

TEST(FalconLink, one_or_two_failed_replies_have_no_effect) {
  for (const BusFault kind :
       {BusFault::kMissing, BusFault::kShort, BusFault::kGarbled, BusFault::kLate,
        BusFault::kMisaligned, BusFault::kTwice, BusFault::kStatusless}) {
    FalconRig rig;
    rig.force = {0, 0, 2};
    rig.start();
    rig.bus.fail(kind, kMillisecond);
    rig.run(0.2);
    EXPECT_TRUE(rig.engaged) << static_cast<int>(kind);
    EXPECT_FALSE(rig.motors_off());
    EXPECT_EQ(rig.link.counters().losses, 0U);
    // Only the one expected request is in flight.
    const int before = rig.device.requests();
    const std::uint64_t answers = rig.link.counters().exchanges;
    rig.run(0.5);
    EXPECT_NEAR(rig.device.requests() - before, 500, 60);
    EXPECT_NEAR(static_cast<double>(rig.link.counters().exchanges - answers), 500, 60);
    EXPECT_LE(rig.bus.waiting(), 1U);
  }
}

TEST(FalconLink, failures_are_counted) {
  const auto after = [](BusFault kind) {
    FalconRig rig;
    rig.run(0.05);
    rig.bus.fail(kind, kMillisecond);
    rig.run(0.1);
    return rig.falcon.counters();
  };
  EXPECT_GE(after(BusFault::kMissing).missing, 1U);
  EXPECT_GE(after(BusFault::kShort).skipped_bytes, 5U);
  EXPECT_GE(after(BusFault::kMisaligned).skipped_bytes, 5U);
  EXPECT_GE(after(BusFault::kStatusless).short_packets, 1U);
}

TEST(FalconLink, a_device_that_stays_silent_is_lost_in_time) {
  for (const BusFault kind : {BusFault::kMissing, BusFault::kHung, BusFault::kStuckWrite,
                              BusFault::kGarbled, BusFault::kUnplugged}) {
    FalconRig rig;
    rig.force = {0, 0, 2};
    rig.start();
    ASSERT_TRUE(rig.engaged);
    const std::int64_t at = rig.bus.now_ns();
    rig.bus.fail(kind, 2 * kSecond);
    while (rig.engaged && rig.bus.now_ns() < at + kSecond) rig.link.turn();
    ASSERT_FALSE(rig.engaged);
    // hang_timeout_s, one wait of reply_timeout_s more, and the servo's next cycle.
    EXPECT_LE(rig.released_ns() - at, 65 * kMillisecond) << static_cast<int>(kind);
    EXPECT_EQ(rig.status, DeviceStatus::kDisconnected);
    // A hung device is reset; an unplugged one cannot be reset.
    EXPECT_EQ(rig.bus.resets() > 0, kind != BusFault::kUnplugged);
    rig.run(6.0);
    EXPECT_EQ(rig.status, DeviceStatus::kOk) << static_cast<int>(kind);
    EXPECT_TRUE(rig.motors_off());
    EXPECT_EQ(rig.link.counters().losses, 1U);
  }
}

TEST(FalconLink, a_silent_servo_means_zero_torque) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  ASSERT_FALSE(rig.motors_off());
  rig.servo_hangs = true;
  const std::int64_t at = rig.bus.now_ns();
  while (!rig.motors_off() && rig.bus.now_ns() < at + kSecond) rig.link.turn();
  // command_timeout_s after the last order, and the packet on its way.
  EXPECT_LE(rig.bus.now_ns() - at, 13 * kMillisecond);
  EXPECT_GE(rig.link.counters().stale_commands, 1U);
}

TEST(FalconLink, commands_from_before_a_disconnection_are_not_sent_after_it) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  ASSERT_FALSE(rig.motors_off());
  rig.servo_hangs = true;
  rig.bus.fail(BusFault::kUnplugged, kMillisecond / 2);  // back before the last order is stale
  const std::int64_t at = rig.bus.now_ns();
  while (rig.link.counters().connections < 2) rig.link.turn();
  ASSERT_LT(rig.bus.now_ns() - at, 8 * kMillisecond);
  rig.run(0.0015);
  EXPECT_TRUE(rig.motors_off());
}

TEST(FalconLink, shutting_down_leaves_the_motors_off) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  ASSERT_FALSE(rig.motors_off());
  rig.link.shut_down();
  EXPECT_TRUE(rig.motors_off());
  EXPECT_FALSE(rig.link.running());
}

TEST(FalconLink, firmware_is_uploaded_again_after_a_power_loss) {
  std::vector<std::uint8_t> image(700);
  std::iota(image.begin(), image.end(), std::uint8_t{1});
  FalconRig rig(image);
  rig.force = {0, 0, 2};
  rig.run(1.0);
  EXPECT_EQ(rig.device.uploads(), 1);
  rig.hold(rig.settings.centre);
  rig.start();
  ASSERT_TRUE(rig.engaged);
  rig.bus.fail(BusFault::kUnpowered, kSecond);
  rig.run(12.0);  // an attempt without power takes six seconds
  EXPECT_EQ(rig.device.uploads(), 2);
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
  EXPECT_FALSE(rig.state.homed);
  EXPECT_FALSE(rig.engaged);
  EXPECT_TRUE(rig.motors_off());
}

TEST(FalconLink, is_absent_until_it_is_plugged_in) {
  FalconRig rig;
  rig.bus.open_answers = UsbStatus::kNoAccess;
  rig.run(1.0);
  EXPECT_EQ(rig.status, DeviceStatus::kDisconnected);
  EXPECT_NEAR(rig.bus.opens(), 4, 1);  // retry_s
  rig.bus.open_answers = UsbStatus::kOk;
  rig.run(0.5);
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
}

// Any faults in any order: no crash, never more torque than the limits, none while the servo has
// released the device or the device is lost or not homed; after the faults the driver recovers.
TEST(FalconLink, ten_thousand_faults_at_random) {
  FalconRig rig;
  rig.start();
  std::mt19937 random(20260101);
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const double most =
      rig.settings.motor.torque * rig.settings.gear_ratio * std::abs(rig.settings.units_per_torque);
  int engagements = 0;
  for (int k = 0; k < 10'000; ++k) {
    if (!rig.engaged && rig.status == DeviceStatus::kOk && rig.state.homed) {
      rig.engaged = true;
      ++engagements;
    }
    rig.force = {between(-20, 20) * 1.0, between(-20, 20) * 1.0, between(-20, 20) * 1.0};
    rig.hold(rig.settings.centre + 1e-3 * Vector3(between(-2, 2), between(-2, 2), between(-2, 2)));
    if (between(0, 30) == 0) rig.device.homed = static_cast<std::uint8_t>(between(0, 7));
    rig.bus.fail(static_cast<BusFault>(between(0, kBusFaults - 1)),
                 between(1, 40) * kMillisecond / 4);
    const std::int64_t end = rig.bus.now_ns() + between(5, 30) * kMillisecond;
    while (rig.bus.now_ns() < end) {
      rig.link.turn();
      for (const std::int16_t units : rig.device.motors()) ASSERT_LE(std::abs(units), most + 0.5);
      // Released for longer than a command and its reply take: no torque may act. A device that
      // cannot be reached gets no command.
      const bool reached = rig.link.running() && rig.bus.fault() == BusFault::kNone;
      if (!rig.engaged && reached && rig.bus.now_ns() - rig.released_ns() > 40 * kMillisecond) {
        ASSERT_TRUE(rig.motors_off()) << "fault " << k;
      }
    }
    rig.bus.forget_old_faults();
  }
  EXPECT_GT(engagements, 1000);
  rig.hold(rig.settings.centre);
  rig.run(10.0);
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
}

}  // namespace
}  // namespace haptic
