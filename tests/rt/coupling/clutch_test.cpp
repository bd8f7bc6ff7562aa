#include "rt/coupling/clutch.h"

#include <gtest/gtest.h>

#include "rt/coupling/hand_coupling.h"
#include "tests/rt/coupling/random_poses.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kDt = 1e-3;
constexpr std::uint32_t kButton = 1u << 2;

double turn_between(const Pose& a, const Pose& b) {
  return rotation_logarithm(a.orientation * b.orientation.conjugate()).norm();
}

TEST(Clutch, the_manipulandum_does_not_jump) {
  // Press, move, release, move, again and again, beyond the device's workspace.
  RandomPoses random(55);
  Clutch clutch(2, 0.2, kDt);
  HandCoupling law;
  law.home.position = {0.1, 0.2, 0.3};
  law.home.orientation = rotation_exponential({0.4, -0.2, 0.1});
  law.length_scale = 3.0;
  Pose hand;
  Pose last = law.manipulandum(clutch.follow(hand, 0));
  for (int round = 0; round < 20; ++round) {
    const Pose pressed = law.manipulandum(clutch.follow(hand, kButton));
    EXPECT_EQ(pressed.position, last.position);
    for (int i = 0; i < 50; ++i) {  // re-centring, orientation too
      hand.position += 1e-3 * random.direction();
      hand.orientation =
          (rotation_exponential(0.02 * random.direction()) * hand.orientation).normalized();
      const Pose frozen = law.manipulandum(clutch.follow(hand, kButton));
      ASSERT_EQ(frozen.position, pressed.position);
      ASSERT_EQ(frozen.orientation.coeffs(), pressed.orientation.coeffs());
    }
    const Pose released = law.manipulandum(clutch.follow(hand, 0));
    EXPECT_LE((released.position - pressed.position).norm(), 1e-12);
    EXPECT_LE(turn_between(released, pressed), 1e-12);
    // From there on the same steps and turns as the hand, in world axes.
    Pose seen = released;
    for (int i = 0; i < 50; ++i) {
      const Vector3 step = 1e-3 * random.direction(), turn = 0.02 * random.direction();
      hand.position += step;
      hand.orientation = (rotation_exponential(turn) * hand.orientation).normalized();
      const Pose next = law.manipulandum(clutch.follow(hand, 0));
      ASSERT_LE((next.position - seen.position - 3.0 * step).norm(), 1e-12);
      Pose turned = seen;
      turned.orientation = rotation_exponential(turn) * seen.orientation;
      ASSERT_LE(turn_between(next, turned), 1e-12);
      seen = next;
    }
    last = seen;
  }
  // The hand stayed about the middle, the manipulandum went its own way.
  EXPECT_GT((last.position - law.manipulandum(hand).position).norm(), 1e-3);
}

TEST(Clutch, without_a_press_the_hand_passes_bit_for_bit) {
  RandomPoses random(1);
  Clutch clutch(0, 0.2, kDt), none(-1, 0.2, kDt);
  for (int i = 0; i < 100; ++i) {
    const Pose hand{random.vector(0.1), random.rotation()};
    EXPECT_EQ(clutch.follow(hand, kButton).position, hand.position);  // another button
    EXPECT_EQ(none.follow(hand, 0xffffffffu).orientation.coeffs(), hand.orientation.coeffs());
    EXPECT_EQ(clutch.force_scale(), 1.0);
  }
}

TEST(Clutch, force_is_released_and_returns_over_the_fade) {
  Clutch clutch(2, 0.1, kDt);
  clutch.follow({}, 0);
  EXPECT_EQ(clutch.force_scale(), 1.0);
  clutch.follow({}, kButton);
  EXPECT_EQ(clutch.force_scale(), 0.0);
  for (int i = 1; i <= 100; ++i) {
    clutch.follow({}, 0);
    ASSERT_NEAR(clutch.force_scale(), i / 100.0, 1e-12);
  }
  clutch.follow({}, 0);
  EXPECT_EQ(clutch.force_scale(), 1.0);
  clutch.follow({}, kButton);
  clutch.reset();
  EXPECT_EQ(clutch.force_scale(), 1.0);
  EXPECT_FALSE(clutch.open());
}

TEST(Clutch, does_not_allocate) {
  Clutch clutch(2, 0.1, kDt);
  const NoAllocation guard;
  for (std::uint32_t i = 0; i < 100; ++i) clutch.follow({}, i % 7);
}

}  // namespace
}  // namespace haptic
