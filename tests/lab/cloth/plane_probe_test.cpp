#include "lab/cloth/plane_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

TEST(PlaneProbe, the_force_has_no_jump_at_a_new_plane_and_ends_at_its_own) {
  constexpr double kBlend = 0.02, kDt = 1e-3, kSpring = 500.0;
  PlaneProbe probe(kSpring, kBlend);
  const Vector3 device(0.0, 0.0, -0.01);
  EXPECT_EQ(probe.step(device, kDt), Vector3::Zero());
  Vector3 before = Vector3::Zero();
  const cloth::HalfSpace planes[] = {
      {Vector3::UnitZ(), 0.0}, {Vector3(0.6, 0.0, 0.8), 0.002}, {Vector3(-0.6, 0.0, 0.8), -0.02}};
  for (const cloth::HalfSpace& plane : planes) {
    const double depth = plane.offset - plane.normal.dot(device);
    const Vector3 end = kSpring * std::max(0.0, depth) * plane.normal;
    const double change = (end - before).norm();
    NoAllocation guard;
    probe.set(plane);
    for (int tick = 0; tick < 20; ++tick) {
      const Vector3 force = probe.step(device, kDt);
      EXPECT_NEAR((force - before).norm(), change * kDt / kBlend, 1e-9);
      before = force;
    }
    EXPECT_LT((before - end).norm(), 1e-9);
    EXPECT_LT((probe.step(device, kDt) - end).norm(), 1e-12);
  }
  // Without a blend, and without a plane.
  PlaneProbe hard(kSpring, 0.0);
  hard.set(planes[0]);
  EXPECT_LT((hard.step(device, kDt) - Vector3(0.0, 0.0, 5.0)).norm(), 1e-12);
  hard.set(std::nullopt);
  EXPECT_EQ(hard.step(device, kDt), Vector3::Zero());
  EXPECT_THROW(PlaneProbe(-1.0, 0.0), InputError);
  EXPECT_THROW(PlaneProbe(1.0, -1.0), InputError);
}

}  // namespace
}  // namespace haptic::lab
