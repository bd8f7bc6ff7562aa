#include "host/fem/sparse_factorization.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "host/fem/stvk_model.h"
#include "shared/error.h"
#include "tests/host/fem/random_element.h"

namespace haptic {
namespace {

StvkModel held_block() {
  const SolidMesh mesh = make_box_mesh(4, 3, 2, 0.1, {1e6, 0.3, 1000.0});
  return {mesh, std::vector<std::uint32_t>{0, 5, 10, 20, 25}};
}

SparseFactorization::Options with(SparseFactorization::Kind kind, int block) {
  SparseFactorization::Options options;
  options.kind = kind;
  options.block = block;
  return options;
}

using Kind = SparseFactorization::Kind;

TEST(SparseFactorization, solves_several_right_hand_sides_with_every_option) {
  const SparseMatrix K = held_block().stiffness_at_rest();
  RandomValues random(1);
  const Eigen::MatrixXd B = random.matrix(K.rows(), 5, 1.0);
  for (const Kind kind : {Kind::kCholesky, Kind::kLdlt}) {
    for (const int block : {1, 3}) {
      const SparseFactorization factor(K, with(kind, block));
      // Rounding of x alone gives eps |K| |x|, some 1e-12 of |B| here.
      EXPECT_LE((K * factor.solve(B) - B).norm(), 1e-11 * B.norm());
      EXPECT_EQ(factor.negative_pivots(), 0);
      EXPECT_GT(factor.reciprocal_condition(), 1e-6);
    }
  }
}

TEST(SparseFactorization, counts_negative_eigenvalues_and_refuses_indefinite_cholesky) {
  const StvkModel model = held_block();
  const SparseMatrix K = model.stiffness_at_rest();
  const SparseMatrix M = model.mass();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> spectrum{Eigen::MatrixXd(K),
                                                                           Eigen::MatrixXd(M)};
  const double sigma = 0.5 * (spectrum.eigenvalues()[6] + spectrum.eigenvalues()[7]);
  SparseMatrix shifted = K - sigma * M;
  shifted.makeCompressed();
  const SparseFactorization factor(shifted, with(Kind::kLdlt, 3));
  EXPECT_EQ(factor.negative_pivots(), 7);
  EXPECT_THROW(SparseFactorization{shifted}, OperationError);
}

TEST(SparseFactorization, refactorizes_and_survives_a_failure) {
  const StvkModel model = held_block();
  const SparseMatrix K = model.stiffness_at_rest();
  SparseFactorization factor(K);
  SparseMatrix negative = -K;
  EXPECT_THROW(factor.refactorize(negative), OperationError);
  const SparseMatrix twice = 2.0 * K;
  factor.refactorize(twice);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(K.rows());
  EXPECT_LE((twice * factor.solve(b) - b).norm(), 1e-11 * b.norm());
}

}  // namespace
}  // namespace haptic
