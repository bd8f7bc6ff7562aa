#include "rt/worlds/cloth/hand_grip.h"

#include <gtest/gtest.h>

#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// Particles at x = 0, 10, 20 and 30 mm, and a hand with the button 2.
class Grip : public ::testing::Test {
 protected:
  static constexpr double kStep = 1e-3;
  static constexpr std::uint64_t kDown = 1U << 2;

  Grip() : x_(12, 0.0) {
    for (std::size_t i = 0; i < 4; ++i) x_[3 * i] = 0.01 * static_cast<double>(i);
  }
  static HandGrip::Settings by_button() {
    HandGrip::Settings settings;
    settings.button = 2;
    settings.reach = 0.02;
    return settings;
  }
  static HandGrip::Settings by_press() {
    HandGrip::Settings settings;
    settings.reach = 0.02;
    settings.press_force = 1.0;
    settings.press_s = 0.3;
    settings.slip_force = 6.0;
    return settings;
  }
  void press(HandGrip& grip, double force, int cycles) {
    for (int i = 0; i < cycles; ++i) grip.update(0, hand_, x_, force);
  }
  ParticleVectors x_;
  Vector3 hand_{0.012, 0.003, 0.0};
};

TEST_F(Grip, the_button_takes_the_nearest_particle_while_it_is_down) {
  HandGrip grip(by_button(), kStep);
  grip.update(0, hand_, x_, 0.0);
  EXPECT_FALSE(grip.held());
  NoAllocation guard;
  grip.update(kDown, hand_, x_, 0.0);
  EXPECT_EQ(grip.held(), 1U);
  // It stays the same one, wherever the hand goes and however much it pulls.
  grip.update(kDown, {0.03, 0.0, 0.0}, x_, 100.0);
  EXPECT_EQ(grip.held(), 1U);
  grip.update(0, {0.03, 0.0, 0.0}, x_, 0.0);
  EXPECT_FALSE(grip.held());
}

TEST_F(Grip, another_button_takes_nothing) {
  HandGrip grip(by_button(), kStep);
  grip.update(~kDown, hand_, x_, 0.0);
  EXPECT_FALSE(grip.held());
}

TEST_F(Grip, what_is_out_of_reach_is_not_taken_later) {
  HandGrip grip(by_button(), kStep);
  grip.update(kDown, {0.0, 0.0201, 0.0}, x_, 0.0);
  EXPECT_FALSE(grip.held());
  // The button went down beside the cloth; coming near does not grab.
  grip.update(kDown, hand_, x_, 0.0);
  EXPECT_FALSE(grip.held());
  grip.update(0, hand_, x_, 0.0);
  grip.update(kDown, {0.0, 0.02, 0.0}, x_, 0.0);
  EXPECT_EQ(grip.held(), 0U) << "a particle at the reach itself is within it";
}

TEST_F(Grip, pressing_long_enough_takes_and_an_interruption_starts_anew) {
  HandGrip grip(by_press(), kStep);
  press(grip, 1.0, 298);
  EXPECT_FALSE(grip.held());
  press(grip, 0.99, 1);
  press(grip, 1.0, 298);
  EXPECT_FALSE(grip.held());
  press(grip, 1.0, 3);
  EXPECT_EQ(grip.held(), 1U);
}

TEST_F(Grip, a_strong_pull_slips_and_pressing_counts_again_after_letting_go_of_the_cloth) {
  HandGrip grip(by_press(), kStep);
  press(grip, 1.0, 302);
  ASSERT_TRUE(grip.held());
  press(grip, 6.0, 100);
  EXPECT_TRUE(grip.held()) << "at the limit it holds";
  press(grip, 6.001, 1);
  EXPECT_FALSE(grip.held());
  press(grip, 3.0, 1000);
  EXPECT_FALSE(grip.held()) << "the hand presses still";
  press(grip, 0.0, 1);
  press(grip, 3.0, 302);
  EXPECT_TRUE(grip.held());
}

TEST_F(Grip, what_the_button_took_does_not_slip) {
  HandGrip::Settings both = by_press();
  both.button = 2;
  HandGrip grip(both, kStep);
  grip.update(kDown, hand_, x_, 0.0);
  for (int i = 0; i < 1000; ++i) grip.update(kDown, hand_, x_, 50.0);
  EXPECT_EQ(grip.held(), 1U);
}

TEST_F(Grip, a_reset_lets_go_and_forgets_the_press) {
  HandGrip grip(by_press(), kStep);
  press(grip, 1.0, 298);
  grip.reset();
  press(grip, 1.0, 298);
  EXPECT_FALSE(grip.held());
  press(grip, 1.0, 3);
  EXPECT_TRUE(grip.held());
  grip.reset();
  EXPECT_FALSE(grip.held());
}

}  // namespace
}  // namespace haptic::cloth
