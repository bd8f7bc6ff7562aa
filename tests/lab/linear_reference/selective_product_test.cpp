#include "lab/linear_reference/selective_product.h"

#include <gtest/gtest.h>

#include <limits>

namespace haptic::lab {
namespace {

TEST(SelectiveProduct, equals_the_dense_product_and_reads_only_columns_with_a_force) {
  Eigen::MatrixXd C(40, 40);
  for (Eigen::Index i = 0; i < 40; ++i) {
    for (Eigen::Index j = 0; j < 40; ++j) C(i, j) = 1.0 / static_cast<double>(1 + i + j);
  }
  Eigen::VectorXd f = Eigen::VectorXd::Zero(40);
  f[3] = 2.0;
  f[17] = -1.5;
  f[39] = 0.25;
  const Eigen::VectorXd dense = C * f;
  EXPECT_LT((selective_product(C, f) - dense).norm(), 1e-12 * dense.norm());
  // A column that is read would spoil the result.
  Eigen::MatrixXd poisoned =
      Eigen::MatrixXd::Constant(40, 40, std::numeric_limits<double>::quiet_NaN());
  for (const int j : {3, 17, 39}) poisoned.col(j) = C.col(j);
  EXPECT_EQ(selective_product(poisoned, f), selective_product(C, f));
}

}  // namespace
}  // namespace haptic::lab
