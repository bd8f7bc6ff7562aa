#include "rt/worlds/cloth/spring_operator.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"

namespace haptic::cloth {
namespace {

TEST(SpringOperator, equals_the_dense_matrix_of_masses_and_gradients) {
  for (const auto topology : {SpringTopology::kThreeKinds, SpringTopology::kChoiKo}) {
    SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(100.0, 0.5), weightless(), topology);
    cloth.system.surroundings().air.drag = 0.02;
    ASSERT_TRUE(
        cloth.system.tethers().add(TargetSpring{.particle = 5, .stiffness = 30.0, .damping = 0.7}));
    disturb(cloth.state.x, 0.03, 2);
    const SpringOperator::Scales scales{.mass = 1.5, .damping = 0.25, .stiffness = 0.5};
    SpringOperator matrix(cloth.system.springs().springs(), cloth.system.size());
    matrix.set(cloth.system, cloth.state.x, scales);
    const Eigen::MatrixXd dense = dense_matrix(cloth.system, cloth.state.x, scales);
    const Eigen::MatrixXd stiffness =
        dense_matrix(cloth.system, cloth.state.x, {0.0, 0.0, scales.stiffness});
    ParticleVectors z(cloth.state.x.size()), y(z.size());
    disturb(z, 1.0, 3);
    matrix.multiply(z, y);
    const auto difference = [&](const Eigen::MatrixXd& of) {
      return (of * as_vector(z) - as_vector(y)).cwiseAbs().maxCoeff();
    };
    EXPECT_LT(difference(dense), 1e-13 * dense.cwiseAbs().maxCoeff());
    matrix.multiply_stiffness(z, y);
    EXPECT_LT(difference(stiffness), 1e-13 * dense.cwiseAbs().maxCoeff());
    for (std::size_t i = 0; i < cloth.system.size(); ++i) {
      const Matrix3 block = dense.block<3, 3>(3 * Eigen::Index(i), 3 * Eigen::Index(i));
      EXPECT_LT((matrix.diagonal_block(i) - block).norm(), 1e-12 * block.norm());
    }
    const Springs& springs = cloth.system.springs().springs();
    for (std::uint32_t s = 0; s < springs.size(); ++s) {
      const Matrix3 block = -dense.block<3, 3>(3 * Eigen::Index(springs.first[s]),
                                               3 * Eigen::Index(springs.second[s]));
      EXPECT_LT((matrix.block(s) - block).norm(), 1e-12 * dense.norm());
    }
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues().minCoeff(), 0.0);
  }
}

TEST(SpringOperator, springs_that_are_left_out_are_not_in_it) {
  SampleCloth cloth = square_cloth(3, 0.1, cloth_materials(100.0, 0.5), weightless());
  SpringOperator matrix(cloth.system.springs().springs(), cloth.system.size());
  std::vector<unsigned char> left_out(cloth.system.springs().springs().size(), 1);
  matrix.set(cloth.system, cloth.state.x, {2.0, 1.0, 1.0}, left_out);
  ParticleVectors z(27, 1.0), y(27);
  z[4] = 7.0;
  matrix.multiply(z, y);
  for (std::size_t k = 0; k < z.size(); ++k) {
    EXPECT_EQ(y[k], 2.0 * cloth.system.masses()[k / 3] * z[k]);
  }
}

}  // namespace
}  // namespace haptic::cloth
