#include "rt/worlds/cloth/aggregate_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// A random matrix of 3 x 3 blocks in an envelope, positive semidefinite, as a sum of squares.
struct Sample {
  std::vector<std::uint32_t> first = {0, 0, 1, 0, 3, 3, 5};
  AggregateMatrix matrix{first};
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(21, 21);

  void add(std::size_t a, std::size_t b, const Matrix3& block) {
    matrix.add(a, b, block);
    const Eigen::Index i = 3 * Eigen::Index(a), j = 3 * Eigen::Index(b);
    dense.block<3, 3>(i, j) += block;
    if (a != b) dense.block<3, 3>(j, i) += block.transpose();
  }
  /// Joins two rows by a random symmetric block, or the row alone to nothing.
  void join(std::size_t a, std::size_t b, std::mt19937& random) {
    std::normal_distribution<double> normal;
    const Matrix3 root = Matrix3::NullaryExpr([&] { return normal(random); });
    const Matrix3 block = root * root.transpose();
    add(a, a, block);
    if (a == b) return;
    add(b, b, block);
    add(a, b, -block);
  }
};

TEST(AggregateMatrix, equals_the_dense_solution) {
  std::mt19937 random(5);
  Sample sample;
  for (std::size_t a = 0; a < 7; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (sample.matrix.has(a, b)) sample.join(a, b, random);
    }
  }
  const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(21, -1.0, 2.0);
  Eigen::VectorXd found = right;
  {
    NoAllocation guard;
    sample.matrix.factor();
    sample.matrix.solve({found.data(), 21});
  }
  const Eigen::VectorXd exact = sample.dense.ldlt().solve(right);
  EXPECT_LT((found - exact).norm(), 1e-9 * exact.norm());
}

TEST(AggregateMatrix, directions_without_stiffness_stay_still) {
  std::mt19937 random(5);
  Sample sample;
  sample.join(0, 0, random);
  sample.join(1, 0, random);
  sample.add(3, 3, Vector3(2.0, 0.0, 4.0).asDiagonal().toDenseMatrix());
  sample.matrix.factor();
  Eigen::VectorXd found = Eigen::VectorXd::Ones(21);
  sample.matrix.solve({found.data(), 21});
  const Eigen::VectorXd exact =
      sample.dense.topLeftCorner<6, 6>().ldlt().solve(Eigen::VectorXd::Ones(6));
  EXPECT_LT((found.head<6>() - exact).norm(), 1e-9 * exact.norm());
  EXPECT_EQ(Vector3(found.segment<3>(6)), Vector3(0.0, 0.0, 0.0));
  EXPECT_LT((found.segment<3>(9) - Vector3(0.5, 0.0, 0.25)).norm(), 1e-14);
}

}  // namespace
}  // namespace haptic::cloth
