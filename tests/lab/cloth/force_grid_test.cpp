#include "lab/cloth/force_grid.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

TEST(ForceGrid, a_linear_field_is_interpolated_exactly) {
  ForceGrid grid({-0.1, 0.2, 0.0}, 0.05, {4, 5, 6});
  ASSERT_EQ(grid.size(), 120u);
  Eigen::Matrix3d slope;
  slope << 1, 2, 3, -4, 5, 6, 7, -8, 9;
  const Vector3 at_origin(0.5, -0.25, 2.0);
  for (std::size_t i = 0; i < grid.size(); ++i) grid.set(i, at_origin + slope * grid.point(i));
  for (int i = 0; i < 500; ++i) {
    const Vector3 share(0.5 + 0.5 * std::sin(i), 0.5 + 0.5 * std::sin(2.3 * i),
                        0.5 + 0.5 * std::cos(3.1 * i));
    const Vector3 p = Vector3(-0.1, 0.2, 0.0) + share.cwiseProduct(Vector3(0.15, 0.2, 0.25));
    NoAllocation guard;
    EXPECT_LT((grid.force(p) - at_origin - slope * p).norm(), 1e-12);
  }
  // All corners, the far ones too.
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}, grid.size() - 1}) {
    EXPECT_LT((grid.force(grid.point(i)) - at_origin - slope * grid.point(i)).norm(), 1e-12);
  }
  EXPECT_EQ(grid.force({-0.11, 0.3, 0.1}), Vector3::Zero());
  EXPECT_EQ(grid.force({0.0, 0.41, 0.1}), Vector3::Zero());
  EXPECT_EQ(grid.force({0.0, 0.3, std::nan("")}), Vector3::Zero());
}

TEST(ForceGrid, the_first_force_comes_with_the_first_step_of_the_cloth) {
  ForceGrid grid({0.0, 0.0, 0.0}, 0.01, {3, 3, 3});
  const Vector3 device(0.013, 0.008, 0.004);
  constexpr int kTicksPerStep = 33;
  int first = -1;
  for (int tick = 0; tick < 100 && first < 0; ++tick) {
    if (tick > 0 && tick % kTicksPerStep == 0) {
      std::array<std::size_t, 8> points;
      ASSERT_TRUE(grid.around(device, points));
      for (const std::size_t i : points) grid.set(i, {0.0, 0.0, 1.5});
    }
    if (grid.force(device).norm() > 0.0) first = tick;
  }
  EXPECT_EQ(first, kTicksPerStep);
  EXPECT_LT((grid.force(device) - Vector3(0.0, 0.0, 1.5)).norm(), 1e-15);
  std::array<std::size_t, 8> points;
  EXPECT_FALSE(grid.around({0.021, 0.0, 0.0}, points));
}

TEST(ForceGrid, lattices_out_of_range_are_refused) {
  EXPECT_THROW(ForceGrid(Vector3::Zero(), 0.0, {2, 2, 2}), InputError);
  EXPECT_THROW(ForceGrid(Vector3::Zero(), 0.1, {2, 1, 2}), InputError);
  EXPECT_THROW(ForceGrid(Vector3::Zero(), 0.1, {4096, 4096, 4096}), InputError);
  EXPECT_THROW(ForceGrid({std::nan(""), 0, 0}, 0.1, {2, 2, 2}), InputError);
}

}  // namespace
}  // namespace haptic::lab
