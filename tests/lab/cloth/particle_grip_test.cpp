#include "lab/cloth/particle_grip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>

#include "lab/samples/touch_sheets.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

TEST(ParticleGrip, the_nearest_particle_is_held_with_its_spring_and_the_weight) {
  cloth::TouchSheet sheet(5, 0.02);
  const Vector3 weight(0.0, 0.0, -0.3 * 9.81);
  ParticleGrip grip(200.0, weight, 0.015);
  const Vector3 device(0.021, -0.018, 0.004);
  {
    NoAllocation guard;
    grip.update(true, device, sheet.x);
  }
  ASSERT_TRUE(grip.held().has_value());
  const std::uint32_t held = *grip.held();
  EXPECT_LT((cloth::at(sheet.x, held) - Vector3(0.02, -0.02, 0.0)).norm(), 1e-15);
  EXPECT_LT(
      (grip.force(device, sheet.x) - (200.0 * Vector3(-0.001, -0.002, -0.004) + weight)).norm(),
      1e-9);
  // It is dragged, not picked again, and at the device only the weight is left.
  const Vector3 away(0.1, 0.2, 0.3);
  cloth::at(sheet.x, held) = away;
  grip.update(true, away, sheet.x);
  EXPECT_EQ(*grip.held(), held);
  EXPECT_LT((grip.force(away, sheet.x) - weight).norm(), 1e-9);
  grip.update(false, away, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  EXPECT_EQ(grip.force(away, sheet.x), Vector3::Zero());
  // A press far from everything picks nothing, and neither does a move with the button down.
  grip.update(true, {0.0, 0.0, 0.016}, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  grip.update(true, {0.0, 0.0, 0.001}, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  grip.update(false, Vector3::Zero(), sheet.x);
  grip.update(true, {std::nan(""), 0.0, 0.0}, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  // Between two, the first.
  grip.update(false, Vector3::Zero(), sheet.x);
  grip.update(true, {-0.01, 0.0, 0.0}, sheet.x);
  EXPECT_EQ(grip.held(), 11u);
  // What is behind the last particle is none.
  grip.update(false, Vector3::Zero(), sheet.x);
  grip.update(true, cloth::at(sheet.x, 24), std::span<const double>(sheet.x).first(72));
  EXPECT_FALSE(grip.held().has_value());
  EXPECT_NO_THROW(ParticleGrip(0.0, weight, 0.1));
  EXPECT_THROW(ParticleGrip(-1.0, weight, 0.1), InputError);
  EXPECT_THROW(ParticleGrip(1.0, weight, 0.0), InputError);
}

}  // namespace
}  // namespace haptic::lab
