#include "host/monitor/key_motion.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

constexpr Key kLess = key_of('a'), kMore = key_of('d');
constexpr double kSpeed = 0.5;

KeyMotion one_axis() {
  KeyMotion motion({{kLess, kMore, "boom.target", kSpeed}});
  motion.start(0, -1.0, 1.0, 0.25);
  return motion;
}

TEST(KeyMotion, a_tap_is_one_step_and_nothing_follows_it) {
  KeyMotion motion = one_axis();
  EXPECT_FALSE(motion.next_unsent());
  motion.press(kMore, 10.0);
  EXPECT_DOUBLE_EQ(motion.axes()[0].target, 0.25 + kSpeed * KeyMotion::kTap_s);
  EXPECT_EQ(motion.next_unsent(), 0u);
  motion.sent(0);
  EXPECT_FALSE(motion.next_unsent());
  motion.press(kLess, 10.2);
  EXPECT_DOUBLE_EQ(motion.axes()[0].target, 0.25);
  motion.press(key_of('x'), 10.3);  // not bound
  EXPECT_DOUBLE_EQ(motion.axes()[0].target, 0.25);
}

TEST(KeyMotion, a_held_key_moves_at_its_speed_until_its_last_report) {
  for (const double repeat_s : {1.0 / 11.0, 1.0 / 30.0, 1.0 / 40.0}) {
    for (const double delay_s : {0.25, 0.5, 0.66}) {
      KeyMotion motion = one_axis();
      motion.start(0, -1e3, 1e3, 0.0);
      motion.press(kMore, 0.0);
      double now = delay_s;
      for (; now < delay_s + 2.0; now += repeat_s) motion.press(kMore, now);
      // A step when pressed, one at the end of the delay, and then the speed.
      const double held = now - repeat_s - delay_s;
      EXPECT_NEAR(motion.axes()[0].target, kSpeed * (2.0 * KeyMotion::kTap_s + held), 1e-12);
    }
  }
}

TEST(KeyMotion, a_burst_of_reports_moves_no_further_than_time_passes) {
  KeyMotion motion = one_axis();
  for (int i = 0; i < 1000; ++i) motion.press(kMore, 5.0 + 1e-5 * i);
  EXPECT_NEAR(motion.axes()[0].target, 0.25 + kSpeed * (KeyMotion::kTap_s + 999e-5), 1e-12);
}

TEST(KeyMotion, a_target_stays_in_its_range) {
  KeyMotion motion = one_axis();
  for (int i = 0; i < 100; ++i) motion.press(kMore, 1.0 * i);
  EXPECT_EQ(motion.axes()[0].target, 1.0);
  motion.sent(0);
  motion.press(kMore, 200.0);
  EXPECT_FALSE(motion.next_unsent());  // nothing to tell the daemon
  motion.press(kLess, 201.0);
  EXPECT_DOUBLE_EQ(motion.axes()[0].target, 1.0 - kSpeed * KeyMotion::kTap_s);
}

TEST(KeyMotion, axes_are_sent_in_turn_and_may_have_two_speeds) {
  KeyMotion motion({{kLess, kMore, "boom.target", kSpeed},
                    {Key::kLeft, Key::kRight, "stick.target", 0.1},
                    {key_of('A'), key_of('D'), "boom.target", 0.01}});
  ASSERT_EQ(motion.axes().size(), 2u);
  motion.start(0, -1.0, 1.0, 0.0);
  motion.start(1, -1.0, 1.0, 0.0);
  motion.press(key_of('D'), 1.0);
  motion.press(Key::kLeft, 1.0);
  EXPECT_DOUBLE_EQ(motion.axes()[0].target, 0.01 * KeyMotion::kTap_s);
  EXPECT_DOUBLE_EQ(motion.axes()[1].target, -0.1 * KeyMotion::kTap_s);
  const auto first = motion.next_unsent();
  ASSERT_TRUE(first);
  motion.sent(*first);
  motion.press(kMore, 2.0);
  motion.press(Key::kLeft, 2.0);
  EXPECT_EQ(motion.next_unsent(), 1u - *first);
}

TEST(KeyMotion, a_pair_of_keys_moves_several_parameters) {
  KeyMotion motion({{kLess, kMore, "left.target", kSpeed}, {kMore, kLess, "right.target", kSpeed}});
  motion.start(0, -1.0, 1.0, 0.0);
  motion.start(1, -1.0, 1.0, 0.0);
  motion.press(kMore, 1.0);
  motion.press(kMore, 1.1);
  EXPECT_DOUBLE_EQ(motion.axes()[0].target, kSpeed * (KeyMotion::kTap_s + 0.1));
  EXPECT_DOUBLE_EQ(motion.axes()[1].target, -kSpeed * (KeyMotion::kTap_s + 0.1));
}

TEST(KeyMotion, goes_on_from_what_others_set_and_from_the_range_of_a_refusal) {
  KeyMotion motion = one_axis();
  motion.press(kMore, 1.0);
  motion.take_over("boom.target", -0.5);
  EXPECT_EQ(motion.axes()[0].target, -0.5);
  EXPECT_FALSE(motion.next_unsent());
  motion.take_over("other", 0.7);
  motion.press(kLess, 2.0);
  motion.refused(0, -0.51, 0.3);
  EXPECT_EQ(motion.axes()[0].target, -0.51);
  EXPECT_EQ(motion.next_unsent(), 0u);
}

}  // namespace
}  // namespace haptic
