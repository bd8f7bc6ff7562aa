#include "host/reduction/left_svd.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "tests/host/fem/random_element.h"

namespace haptic {
namespace {

Eigen::MatrixXd orthonormal_columns(RandomValues& random, int rows, int columns) {
  const Eigen::MatrixXd values = random.matrix(rows, columns, 1.0);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(values);
  return qr.householderQ() * Eigen::MatrixXd::Identity(rows, columns);
}

TEST(LeftSvd, small_singular_values_are_accurate_to_rounding_of_the_largest) {
  RandomValues random(1);
  for (const auto& [rows, columns] : {std::pair(200, 15), std::pair(15, 15), std::pair(15, 40)}) {
    const Eigen::MatrixXd U = orthonormal_columns(random, rows, 15);
    const Eigen::MatrixXd V = orthonormal_columns(random, columns, 15);
    Eigen::VectorXd sigma(15);
    for (int k = 0; k < 15; ++k) sigma[k] = std::pow(10.0, -k);
    const LeftSvd svd = left_svd(U * sigma.asDiagonal() * V.transpose(), 9, 0.0);
    ASSERT_EQ(svd.values.size(), 15);
    // A Gram matrix has errors of 1e-16 in the squares: 1e-8 in the values.
    EXPECT_LE((svd.values - sigma).cwiseAbs().maxCoeff(), 2e-15);
    ASSERT_EQ(svd.vectors.cols(), 9);
    EXPECT_LE((svd.vectors.transpose() * svd.vectors - Eigen::MatrixXd::Identity(9, 9)).norm(),
              1e-14);
    for (int k = 0; k < 9; ++k) {
      // Angle: rounding of the largest value, 1e-15, over the distance to the next, 0.9 sigma_k.
      EXPECT_LE(1.0 - std::abs(svd.vectors.col(k).dot(U.col(k))), 1e-14) << rows << " " << k;
    }
  }
}

TEST(LeftSvd, vectors_below_the_threshold_are_not_kept) {
  RandomValues random(2);
  const Eigen::MatrixXd U = orthonormal_columns(random, 30, 4);
  const Eigen::Vector4d sigma(2.0, 0.5, 1e-3, 1e-9);
  const Eigen::MatrixXd Z = U * sigma.asDiagonal();
  EXPECT_EQ(left_svd(Z, 4, 1e-12).vectors.cols(), 4);
  EXPECT_EQ(left_svd(Z, 4, 1e-6).vectors.cols(), 3);
  EXPECT_EQ(left_svd(Z, 4, 0.1).vectors.cols(), 2);
  EXPECT_EQ(left_svd(Z, 1, 1e-6).vectors.cols(), 1);
  // The threshold is relative to the largest value: with any unit of Z the same are kept.
  for (const double unit : {1e3, 1e-3}) {
    EXPECT_EQ(left_svd(unit * Z, 4, 1e-6).vectors.cols(), 3) << unit;
    EXPECT_EQ(left_svd(unit * Z, 4, 0.1).vectors.cols(), 2) << unit;
  }
}

}  // namespace
}  // namespace haptic
