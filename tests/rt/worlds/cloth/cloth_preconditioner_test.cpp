#include "rt/worlds/cloth/cloth_preconditioner.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr SpringOperator::Scales kScales{1.0, 1e-3, 1e-6};

/// A crumpled cloth with every kind of constraint and two contacts: H dense, in the space of the
/// constraints.
struct Sample {
  SampleCloth cloth = square_cloth(10, 0.01, cloth_materials(1e4, 0.02));
  SpringOperator matrix{cloth.system.springs().springs(), cloth.system.size()};
  ClothPreconditioner preconditioner{cloth.system.springs().springs(), cloth.system.size()};
  Eigen::MatrixXd S, H;

  Sample() {
    disturb(cloth.state.x, 2e-3, 2);
    ParticleConstraints& constraints = cloth.system.constraints();
    for (std::size_t i : {0, 1, 2, 10, 11, 12}) constraints.pin(i, Vector3::Zero());
    constraints.keep_in_plane(44, Vector3::Zero(), Vector3(1.0, 2.0, 2.0) / 3.0);
    constraints.keep_on_line(45, Vector3::Zero(), Vector3(0.0, 3.0, 4.0) / 5.0);
    matrix.set(cloth.system, cloth.state.x, kScales);
    const Eigen::Index size = 300;
    S.resize(size, size);
    for (Eigen::Index k = 0; k < size; ++k) {
      ParticleVectors unit(static_cast<std::size_t>(size));
      unit[static_cast<std::size_t>(k)] = 1.0;
      constraints.filter(unit);
      S.col(k) = as_vector(unit);
    }
    H = dense_matrix(cloth.system, cloth.state.x, kScales);
    preconditioner.set(matrix, constraints);
    add({44, 54, 55}, {2e-4, 3e-4, 5e-4}, 300.0 * Matrix3::Identity());
    add({77, 0, 0}, {1e-3, 0.0, 0.0}, 500.0 * Vector3::UnitX() * Vector3::UnitX().transpose());
    preconditioner.factor();
    H = S * H * S;
  }
  void add(std::array<std::uint32_t, 3> particles, std::array<double, 3> weights,
           const Matrix3& K) {
    const std::size_t count = weights[1] > 0.0 ? 3 : 1;
    preconditioner.add(std::span(particles).first(count), std::span(weights).first(count), K);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        H.block<3, 3>(3 * particles[a], 3 * particles[b]) += weights[a] * weights[b] * K;
      }
    }
  }
  /// Columns that move a group together, as the constraints allow.
  Eigen::MatrixXd coarse() const {
    const ParticleAggregates& groups = preconditioner.aggregates();
    Eigen::MatrixXd P = Eigen::MatrixXd::Zero(300, 3 * Eigen::Index(groups.size()));
    for (std::size_t i = 0; i < 100; ++i) {
      P.block<3, 3>(3 * Eigen::Index(i), 3 * Eigen::Index(groups.of[i])).setIdentity();
    }
    return S * P;
  }
};

TEST(ClothPreconditioner, what_is_left_after_a_correction_has_no_part_in_the_coarse_space) {
  Sample s;
  ParticleVectors r(300), z(300);
  disturb(r, 1.0, 4);
  s.cloth.system.constraints().filter(r);
  {
    NoAllocation guard;
    s.preconditioner.correct(r, z);
  }
  const Eigen::MatrixXd P = s.coarse();
  const Eigen::VectorXd left = as_vector(r) - s.H * as_vector(z);
  EXPECT_LT((P.transpose() * left).norm(), 1e-10 * (P.transpose() * as_vector(r)).norm());
  EXPECT_LT((as_vector(z) - s.S * as_vector(z)).norm(), 1e-14 * as_vector(z).norm());
}

TEST(ClothPreconditioner, is_symmetric_and_brings_the_eigenvalues_together) {
  Sample s;
  Eigen::MatrixXd inverse(300, 300);
  for (Eigen::Index k = 0; k < 300; ++k) {
    ParticleVectors unit(300), z(300);
    unit[static_cast<std::size_t>(k)] = 1.0;
    s.cloth.system.constraints().filter(unit);
    s.preconditioner.apply(unit, z);
    inverse.col(k) = as_vector(z);
  }
  EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-12 * inverse.norm());
  const Eigen::MatrixXd free = Eigen::MatrixXd::Identity(300, 300) - s.S;
  const auto condition = [&](const Eigen::MatrixXd& M) {
    const Eigen::MatrixXd root = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).operatorSqrt();
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(root * (s.H + free) * root).eigenvalues();
    return values.maxCoeff() / values.minCoeff();
  };
  const Eigen::VectorXd diagonal = (s.H + free).diagonal().cwiseInverse();
  // The bound of two levels with groups of h particles across grows with h^2, not with stiffness:
  // 3 across here. The diagonal alone has h^2 k / m = 500 of it.
  EXPECT_LT(condition(inverse + free), 100.0);
  EXPECT_GT(condition(diagonal.asDiagonal().toDenseMatrix()), 300.0);
}

}  // namespace
}  // namespace haptic::cloth
