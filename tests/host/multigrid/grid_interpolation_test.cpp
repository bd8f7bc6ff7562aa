#include "host/multigrid/grid_interpolation.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

TEST(GridInterpolation, transposed_lists_the_rows_of_each_node) {
  GridInterpolation P;  // 3 x 2: (1, 0), (1/2, 1/2), (0, 0)
  P.node = {0, 0, 1};
  P.weight = {1.0F, 0.5F, 0.5F};
  P.begin = {0, 1, 3, 3};
  const GridInterpolation T = P.transposed(2);
  EXPECT_EQ(T.rows(), 2U);
  EXPECT_EQ(T.begin, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(T.node, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_EQ(T.weight, (std::vector<float>{1.0F, 0.5F, 0.5F}));
}

}  // namespace
}  // namespace haptic
