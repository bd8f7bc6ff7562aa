#include "host/reduction/mass_pca.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <limits>

#include "shared/error.h"
#include "tests/host/fem/random_element.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

// 3v x N shapes with fast decaying weights.
Eigen::MatrixXd decaying_columns(Eigen::Index rows, int count, unsigned seed) {
  RandomValues random(seed);
  Eigen::MatrixXd X = random.matrix(rows, count, 1.0);
  for (int c = 0; c < count; ++c) X.col(c) *= std::pow(0.6, c);
  return X;
}

SparseMatrix identity(int v) {
  SparseMatrix I(v, v);
  I.setIdentity();
  return I;
}

double orthonormality_error(const SparseMatrix& mass, const Eigen::MatrixXd& U) {
  return (U.transpose() * multiply_mass(mass, U) - Eigen::MatrixXd::Identity(U.cols(), U.cols()))
      .cwiseAbs()
      .maxCoeff();
}

// sum_i |x_i - U U^T M x_i|_M^2
double reconstruction_error(const SparseMatrix& mass, const Eigen::MatrixXd& X,
                            const Eigen::MatrixXd& U) {
  const Eigen::MatrixXd rest = X - U * (U.transpose() * multiply_mass(mass, X));
  return rest.cwiseProduct(multiply_mass(mass, rest)).sum();
}

TEST(MassPca, basis_is_mass_orthonormal) {
  const StvkModel model = held_beam(10, 2, 3);
  for (const MassKind kind : {MassKind::kConsistent, MassKind::kLumped}) {
    const SparseMatrix mass = model.scalar_mass(kind);
    const MassPca pca = mass_pca(mass, decaying_columns(3 * mass.rows(), 30, 1), 25);
    EXPECT_EQ(pca.basis.cols(), 25);
    EXPECT_LE(orthonormality_error(mass, pca.basis), 1e-12);
  }
}

TEST(MassPca, error_falls_with_dimension_and_vanishes_at_the_rank) {
  const StvkModel model = held_beam(6, 2, 3);
  const SparseMatrix mass = model.scalar_mass();
  Eigen::MatrixXd X = decaying_columns(3 * mass.rows(), 12, 2);
  X.rightCols(2) = X.leftCols(2) * 3.0 + X.middleCols(4, 2);  // rank 10
  const double whole = X.cwiseProduct(multiply_mass(mass, X)).sum();
  double last = whole;
  for (int r = 1; r <= 10; ++r) {
    const MassPca pca = mass_pca(mass, X, r);
    const double error = reconstruction_error(mass, X, pca.basis);
    EXPECT_LE(error, last);
    EXPECT_NEAR(1.0 - error / whole, pca.captured, 1e-12);
    EXPECT_NEAR(error, pca.singular_values.tail(12 - r).squaredNorm(), 1e-12 * whole);
    last = error;
  }
  EXPECT_LE(last, 1e-24 * whole);
  const MassPca wanted_more = mass_pca(mass, X, 11);
  EXPECT_EQ(wanted_more.rank, 10);
  EXPECT_EQ(wanted_more.basis.cols(), 10);
  EXPECT_DOUBLE_EQ(wanted_more.captured, 1.0);
}

TEST(MassPca, equals_euclidean_pca_for_unit_mass) {
  const Eigen::MatrixXd X = decaying_columns(90, 8, 3);
  const MassPca pca = mass_pca(identity(30), X, 8);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(X, Eigen::ComputeThinU);
  EXPECT_LE((pca.singular_values - svd.singularValues()).norm(), 1e-13 * svd.singularValues()[0]);
  for (int c = 0; c < 8; ++c) {
    EXPECT_NEAR(std::abs(pca.basis.col(c).dot(svd.matrixU().col(c))), 1.0, 1e-12);
  }
}

TEST(MassPca, splitting_vertices_at_equal_mass_keeps_the_shapes) {
  RandomValues random(4);
  const int v = 20, copies = 5;
  const Eigen::MatrixXd X = decaying_columns(3 * v, 6, 4);
  SparseMatrix mass = identity(v);
  for (int i = 0; i < v; ++i) mass.valuePtr()[i] = 1.0 + 0.5 * random.scalar(1.0);
  // The first vertex becomes five, each with a fifth of its mass.
  Eigen::MatrixXd X_dense(3 * (v + copies - 1), 6);
  X_dense.topRows(3 * v) = X;
  SparseMatrix mass_dense = identity(v + copies - 1);
  for (int i = 0; i < v; ++i) mass_dense.valuePtr()[i] = mass.valuePtr()[i];
  for (int i : {0, v, v + 1, v + 2, v + 3}) {
    X_dense.middleRows<3>(3 * i) = X.topRows<3>();
    mass_dense.valuePtr()[i] = mass.valuePtr()[0] / copies;
  }
  const MassPca sparse = mass_pca(mass, X, 6), dense = mass_pca(mass_dense, X_dense, 6);
  for (int c = 0; c < 6; ++c) {
    const Eigen::VectorXd a = sparse.basis.col(c), b = dense.basis.col(c).head(3 * v);
    const double cosine = std::abs(a.dot(multiply_mass(mass, b).col(0)));
    EXPECT_NEAR(cosine, 1.0, 1e-12);  // an angle of 1e-6
  }
}

TEST(MassPca, more_columns_than_rows) {
  const Eigen::MatrixXd X = decaying_columns(9, 15, 6);
  const MassPca pca = mass_pca(identity(3), X, 12);
  EXPECT_EQ(pca.basis.cols(), 9);
  EXPECT_EQ(pca.rank, 9);
  EXPECT_LE(orthonormality_error(identity(3), pca.basis), 1e-12);
}

TEST(MassPca, many_columns_of_a_small_body) {
  // 36 dofs; 230 columns of all sizes, as modes and derivatives have.
  const StvkModel model = held_beam(1, 1, 5);
  const SparseMatrix mass = model.scalar_mass();
  ASSERT_EQ(3 * mass.rows(), 36);
  RandomValues random(8);
  Eigen::MatrixXd X = random.matrix(36, 230, 1.0);
  for (int c = 0; c < 230; ++c) X.col(c) *= std::pow(10.0, -0.05 * c);
  const MassPca pca = mass_pca(mass, X, 64);
  EXPECT_EQ(pca.rank, 36);
  EXPECT_EQ(pca.singular_values.size(), 36);
  EXPECT_EQ(pca.basis.cols(), 36);
  EXPECT_LE(orthonormality_error(mass, pca.basis), 1e-12);
}

TEST(MassPca, nearly_dependent_columns_give_an_orthonormal_basis) {
  const StvkModel model = held_beam(8, 2, 3);
  const SparseMatrix mass = model.scalar_mass();
  RandomValues random(9);
  // Differences of 1e-3 to 1e-11 of the columns; the last ones are below the rank's threshold.
  const Eigen::VectorXd same = random.matrix(3 * mass.rows(), 1, 1.0);
  Eigen::MatrixXd X(3 * mass.rows(), 9);
  for (int c = 0; c < 9; ++c) {
    X.col(c) = same + std::pow(10.0, -3.0 - c) * random.matrix(3 * mass.rows(), 1, 1.0);
  }
  const MassPca pca = mass_pca(mass, X, 9);
  EXPECT_GE(pca.rank, 7);
  EXPECT_LE(orthonormality_error(mass, pca.basis), 1e-12);
}

TEST(MassPca, refuses_invalid_input) {
  const SparseMatrix mass = identity(3);
  EXPECT_THROW(mass_pca(mass, Eigen::MatrixXd::Zero(9, 2), 1), InputError);
  EXPECT_THROW(mass_pca(mass, Eigen::MatrixXd::Ones(8, 2), 1), InputError);
  EXPECT_THROW(mass_pca(mass, Eigen::MatrixXd::Ones(9, 2), 0), InputError);
  EXPECT_THROW(
      mass_pca(mass, Eigen::MatrixXd::Constant(9, 2, std::numeric_limits<double>::quiet_NaN()), 1),
      InputError);
}

TEST(MassGramSchmidt, spans_the_columns_and_drops_dependent_ones) {
  const StvkModel model = held_beam(8, 2, 3);
  const SparseMatrix mass = model.scalar_mass();
  Eigen::MatrixXd X = decaying_columns(3 * mass.rows(), 12, 7);
  X.col(5) = X.col(1) - 2.0 * X.col(3);
  const Eigen::MatrixXd U = mass_gram_schmidt(mass, X);
  EXPECT_EQ(U.cols(), 11);
  EXPECT_LE(orthonormality_error(mass, U), 1e-12);
  EXPECT_LE(reconstruction_error(mass, X, U), 1e-26 * X.cwiseProduct(multiply_mass(mass, X)).sum());
}

}  // namespace
}  // namespace haptic
