#include "rt/worlds/cloth/particle_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "lab/samples/cloth_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

TEST(ParticleMatrix, solves_as_a_dense_factorisation_does) {
  const ClothMesh mesh = make_grid({9, 7}, 1.0, 1.0);
  const Springs springs = make_springs(mesh, SpringTopology::kThreeKinds, same_materials(1.0));
  const std::size_t n = mesh.vertices.size();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.1, 2.0);
  std::vector<double> own(n), weights(springs.size()), free(n, 1.0);
  for (double& value : own) value = uniform(random);
  for (double& value : weights) value = uniform(random);
  free[0] = free[8] = free[40] = 0.0;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(Eigen::Index(n), Eigen::Index(n));
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const Eigen::Index i = springs.first[s], j = springs.second[s];
    A(i, i) += weights[s];
    A(j, j) += weights[s];
    A(i, j) -= weights[s];
    A(j, i) -= weights[s];
  }
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    A(i, i) += own[std::size_t(i)];
    if (free[std::size_t(i)] != 0.0) continue;
    A.row(i).setZero();
    A.col(i).setZero();
    A(i, i) = 1.0;
  }
  ParticleVectors b(3 * n);
  disturb(b, 1.0, 2);
  const Eigen::MatrixXd right =
      Eigen::Map<Eigen::MatrixXd>(b.data(), 3, Eigen::Index(n)).transpose();
  ParticleMatrix matrix(n, springs.first, springs.second);
  {
    NoAllocation guard;
    ASSERT_TRUE(matrix.factor(own, weights, free));
    matrix.solve(b);
  }
  const Eigen::MatrixXd exact = A.ldlt().solve(right);
  const Eigen::MatrixXd found =
      Eigen::Map<Eigen::MatrixXd>(b.data(), 3, Eigen::Index(n)).transpose();
  EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), 1e-13 * exact.cwiseAbs().maxCoeff());
}

/// A chain whose particles are numbered at random has a factor of two values a row.
TEST(ParticleMatrix, order_makes_the_factor_small) {
  std::vector<std::uint32_t> names(200);
  for (std::uint32_t i = 0; i < 200; ++i) names[i] = i;
  std::shuffle(names.begin(), names.end(), std::mt19937(3));
  std::vector<std::uint32_t> first, second;
  for (std::size_t i = 1; i < 200; ++i) {
    first.push_back(names[i - 1]);
    second.push_back(names[i]);
  }
  EXPECT_EQ(ParticleMatrix(200, first, second).factor_entries(), 399u);
  // A grid of 40 x 40 with diagonals: less than 1.2 times the band of a grid row, 41 and one.
  const ClothMesh mesh = make_grid({40, 40}, 1.0, 1.0);
  Springs springs = make_springs(mesh, SpringTopology::kThreeKinds, same_materials(1.0));
  const std::size_t threads =
      springs.count(SpringKind::kStructural) + springs.count(SpringKind::kShear);
  springs.first.resize(threads);
  springs.second.resize(threads);
  EXPECT_LT(ParticleMatrix(1600, springs.first, springs.second).factor_entries(), 1.5 * 1600 * 42);
}

TEST(ParticleMatrix, a_matrix_that_is_not_positive_is_refused) {
  const std::vector<std::uint32_t> first{0}, second{1};
  ParticleMatrix matrix(2, first, second);
  const std::vector<double> free{1.0, 1.0}, weights{1.0};
  EXPECT_FALSE(matrix.factor(std::vector<double>{-3.0, 1.0}, weights, free));
  EXPECT_FALSE(matrix.factor(std::vector<double>{std::nan(""), 1.0}, weights, free));
  EXPECT_TRUE(matrix.factor(std::vector<double>{1.0, 1.0}, weights, free));
}

}  // namespace
}  // namespace haptic::cloth
