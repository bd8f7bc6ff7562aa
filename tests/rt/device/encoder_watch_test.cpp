#include "rt/device/encoder_watch.h"

#include <gtest/gtest.h>

#include <array>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<double, 2> kNoTorque{0.0, 0.0};
constexpr double kPeriod = 0.001;  // s

EncoderWatch watch_two(double speed, double stuck_s = 1.0, double stuck_torque = 0.05) {
  const std::array<EncoderLimits, 2> limits{EncoderLimits{speed, stuck_s, stuck_torque},
                                            EncoderLimits{speed, stuck_s, stuck_torque}};
  return EncoderWatch(limits);
}

TEST(EncoderWatch, a_change_faster_than_the_largest_speed_is_a_jump) {
  EncoderWatch watch = watch_two(50.0);
  EXPECT_EQ(watch.check(std::array{3.0, 9.0}, kNoTorque, kPeriod),
            DeviceStatus::kOk);  // the first is believed
  EXPECT_EQ(watch.check(std::array{3.049, 8.951}, kNoTorque, kPeriod), DeviceStatus::kOk);
  EXPECT_EQ(watch.check(std::array{3.049, 8.900}, kNoTorque, kPeriod), DeviceStatus::kImplausible);
  EXPECT_EQ(watch.culprit(), 1u);
  EXPECT_TRUE(watch.jumped());
  EXPECT_EQ(watch.check(std::array{3.049, 8.900}, kNoTorque, kPeriod),
            DeviceStatus::kOk);  // not latched here
}

TEST(EncoderWatch, missing_readings_widen_the_jump_limit) {
  EncoderWatch watch = watch_two(50.0);
  EXPECT_EQ(watch.check(std::array{0.0, 0.0}, kNoTorque, kPeriod), DeviceStatus::kOk);
  EXPECT_EQ(watch.check(std::array{0.199, 0.0}, kNoTorque, 0.004), DeviceStatus::kOk);
  EXPECT_EQ(watch.check(std::array{0.400, 0.0}, kNoTorque, 0.004), DeviceStatus::kImplausible);
}

TEST(EncoderWatch, the_limit_of_a_jump_depends_on_the_elapsed_time) {
  for (const double elapsed : {1e-4, 0.001, 0.0173, 2.0}) {
    EncoderWatch watch = watch_two(50.0);
    ASSERT_EQ(watch.check(std::array{1.0, 1.0}, kNoTorque, kPeriod), DeviceStatus::kOk);
    const double most = 50.0 * elapsed;
    EXPECT_EQ(watch.check(std::array{1.0 + 0.999 * most, 1.0}, kNoTorque, elapsed),
              DeviceStatus::kOk);
    EXPECT_EQ(watch.check(std::array{1.0 + 2.001 * most, 1.0}, kNoTorque, elapsed),
              DeviceStatus::kImplausible)
        << elapsed;
  }
  EncoderWatch watch = watch_two(50.0);
  ASSERT_EQ(watch.check(std::array{1.0, 1.0}, kNoTorque, 0.0), DeviceStatus::kOk);
  EXPECT_EQ(watch.check(std::array{1.0, 1.0}, kNoTorque, 0.0), DeviceStatus::kOk);
  EXPECT_EQ(watch.check(std::array{1.0, 1.0}, kNoTorque, -kPeriod), DeviceStatus::kBadValue);
  EXPECT_EQ(watch.check(std::array{1.0, 1.0}, kNoTorque, kNoNumber), DeviceStatus::kBadValue);
}

TEST(EncoderWatch, unchanged_during_missed_slots_is_stuck_by_elapsed_time) {
  EncoderWatch watch = watch_two(50.0, 0.1, 0.05);
  const std::array<double, 2> pulled{0.06, 0.0}, angle{1.0, 2.0};
  ASSERT_EQ(watch.check(angle, pulled, kPeriod), DeviceStatus::kOk);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(watch.check(angle, pulled, 0.0249), DeviceStatus::kOk);
  EXPECT_EQ(watch.check(angle, pulled, kPeriod),
            DeviceStatus::kImplausible);  // 0.1006 s, five readings
}

TEST(EncoderWatch, homing_may_move_the_zero) {
  EncoderWatch watch = watch_two(50.0);
  EXPECT_EQ(watch.check(std::array{0.0, 0.0}, kNoTorque, kPeriod), DeviceStatus::kOk);
  watch.restart();
  EXPECT_EQ(watch.check(std::array{-1.0, 2.0}, kNoTorque, kPeriod), DeviceStatus::kOk);
}

TEST(EncoderWatch, unchanged_under_torque_for_too_long_is_stuck) {
  EncoderWatch watch = watch_two(50.0, 0.1, 0.05);
  const std::array<double, 2> pulled{-0.06, 0.04};
  std::array<double, 2> angle{1.0, 2.0};
  int checks = 0;
  while (watch.check(angle, pulled, kPeriod) == DeviceStatus::kOk) ASSERT_LE(++checks, 200);
  // The first reading has no history; 0.1 s of 1 ms each follow, the next one is too many. One more
  // for the sum's rounding.
  EXPECT_NEAR(checks, 101, 1);
  EXPECT_FALSE(watch.jumped());
  EXPECT_EQ(watch.culprit(), 0u);  // the other is driven with less than stuck_torque
}

TEST(EncoderWatch, a_count_now_and_then_or_no_torque_is_not_stuck) {
  EncoderWatch watch = watch_two(50.0, 0.1, 0.05);
  std::array<double, 2> angle{1.0, 2.0};
  for (int k = 0; k < 2000; ++k) {
    if (k % 90 == 0) angle[0] += k % 180 == 0 ? 6e-4 : -6e-4;
    ASSERT_EQ(watch.check(angle, std::array{0.2, 0.0}, kPeriod), DeviceStatus::kOk) << k;
  }
}

TEST(EncoderWatch, a_value_not_finite_or_of_the_wrong_size_is_a_bad_value) {
  EncoderWatch watch = watch_two(50.0);
  EXPECT_EQ(watch.check(std::array{0.0, kNoNumber}, kNoTorque, kPeriod), DeviceStatus::kBadValue);
  EXPECT_EQ(watch.check(std::array{0.0, 0.0}, std::array{kNoNumber, 0.0}, kPeriod),
            DeviceStatus::kBadValue);
  EXPECT_EQ(watch.check(std::array{0.0}, std::array{0.0}, kPeriod), DeviceStatus::kBadValue);
}

TEST(EncoderWatch, refuses_invalid_limits) {
  EXPECT_THROW(watch_two(0.0), InputError);
  EXPECT_THROW(watch_two(-1.0), InputError);
  EXPECT_THROW(watch_two(kNoNumber), InputError);
  EXPECT_THROW(watch_two(1.0, 0.0), InputError);
  EXPECT_THROW(watch_two(1.0, 1.0, 0.0), InputError);
}

TEST(EncoderWatch, a_check_does_not_allocate) {
  EncoderWatch watch = watch_two(50.0);
  const NoAllocation guard;
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(watch.check(std::array{0.0, 0.0}, kNoTorque, kPeriod), DeviceStatus::kOk);
  }
}

}  // namespace
}  // namespace haptic
