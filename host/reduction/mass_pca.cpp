#include "host/reduction/mass_pca.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "host/reduction/canonical_sign.h"
#include "host/reduction/left_svd.h"
#include "shared/error.h"

namespace haptic {
namespace {

void check_columns(const SparseMatrix& scalar_mass,
                   const Eigen::Ref<const Eigen::MatrixXd>& columns) {
  if (columns.cols() < 1 || columns.rows() != 3 * scalar_mass.rows()) {
    throw InputError("mass-PCA", "columns",
                     fmt::format("found {} x {}", columns.rows(), columns.cols()),
                     fmt::format("{} x N, N >= 1", 3 * scalar_mass.rows()));
  }
  if (!columns.allFinite()) {
    throw InputError("mass-PCA", "columns", "found a value that is not finite", "finite numbers");
  }
}

// 3v x N with (x,y,z) per vertex -> v x 3N with the N columns of x, then of y, then of z.
Eigen::MatrixXd by_axis(const Eigen::Ref<const Eigen::MatrixXd>& X) {
  const Eigen::Index v = X.rows() / 3, N = X.cols();
  Eigen::MatrixXd split(v, 3 * N);
  for (Eigen::Index c = 0; c < N; ++c) {
    for (int d = 0; d < 3; ++d) {
      for (Eigen::Index i = 0; i < v; ++i) split(i, d * N + c) = X(3 * i + d, c);
    }
  }
  return split;
}

}  // namespace

Eigen::MatrixXd multiply_mass(const SparseMatrix& scalar_mass,
                              const Eigen::Ref<const Eigen::MatrixXd>& X) {
  Eigen::MatrixXd product(X.rows(), X.cols());
  tbb::parallel_for(Eigen::Index{0}, X.cols(), [&](Eigen::Index c) {
    const double* x = X.col(c).data();
    double* out = product.col(c).data();
    // Row j of the symmetric M_s is its column j.
    for (Eigen::Index j = 0; j < scalar_mass.cols(); ++j) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (SparseMatrix::InnerIterator it(scalar_mass, j); it; ++it) {
        sum += it.value() * Eigen::Map<const Eigen::Vector3d>(x + 3 * it.row());
      }
      Eigen::Map<Eigen::Vector3d>(out + 3 * j) = sum;
    }
  });
  return product;
}

MassPca mass_pca(const SparseMatrix& scalar_mass, const Eigen::Ref<const Eigen::MatrixXd>& columns,
                 int dimension, const MassPcaOptions& options) {
  check_columns(scalar_mass, columns);
  if (dimension < 1) {
    throw InputError("mass-PCA", "dimension", fmt::format("found {}", dimension), "at least 1");
  }
  SparseFactorization::Options factor_options;
  factor_options.ordering = options.ordering;
  factor_options.name = "mass matrix";
  const SparseFactorization root(scalar_mass, factor_options);

  const Eigen::Index v = scalar_mass.rows(), N = columns.cols();
  // Z = L^T X per axis; the stacking of the axes is a permutation of rows, which the left
  // singular vectors undo below.
  const Eigen::MatrixXd rooted = root.multiply_root(by_axis(columns));
  Eigen::MatrixXd Z(3 * v, N);
  for (int d = 0; d < 3; ++d) Z.middleRows(d * v, v) = rooted.middleCols(d * N, N);
  if (Z.isZero(0.0)) {
    throw InputError("mass-PCA", "columns", "found only zeros", "at least one displacement");
  }
  const LeftSvd svd = left_svd(Z, dimension, options.rank_threshold);

  MassPca pca;
  pca.singular_values = svd.values;
  pca.rank =
      static_cast<int>((svd.values.array() > options.rank_threshold * svd.values[0]).count());
  const Eigen::Index kept = svd.vectors.cols();
  pca.captured = svd.values.head(kept).squaredNorm() / svd.values.squaredNorm();
  Eigen::MatrixXd split(v, 3 * kept);
  for (int d = 0; d < 3; ++d) split.middleCols(d * kept, kept) = svd.vectors.middleRows(d * v, v);
  const Eigen::MatrixXd solved = root.solve_root(split);
  pca.basis.resize(3 * v, kept);
  for (Eigen::Index c = 0; c < kept; ++c) {
    for (int d = 0; d < 3; ++d) {
      for (Eigen::Index i = 0; i < v; ++i) pca.basis(3 * i + d, c) = solved(i, d * kept + c);
    }
  }
  make_largest_component_positive(pca.basis);
  return pca;
}

Eigen::MatrixXd mass_gram_schmidt(const SparseMatrix& scalar_mass,
                                  const Eigen::Ref<const Eigen::MatrixXd>& columns,
                                  double threshold) {
  check_columns(scalar_mass, columns);
  Eigen::MatrixXd basis(columns.rows(), columns.cols());
  Eigen::MatrixXd mass_basis(columns.rows(), columns.cols());
  Eigen::Index kept = 0;
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    Eigen::VectorXd x = columns.col(c);
    const double before = std::sqrt(x.dot(multiply_mass(scalar_mass, x).col(0)));
    if (!(before > 0.0)) continue;
    // A second pass: after the first the remainder may be small against the removed part.
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd parts = mass_basis.leftCols(kept).transpose() * x;
      x -= basis.leftCols(kept) * parts;
    }
    const Eigen::VectorXd mass_x = multiply_mass(scalar_mass, x);
    const double norm = std::sqrt(x.dot(mass_x));
    if (norm <= threshold * before) continue;
    basis.col(kept) = x / norm;
    mass_basis.col(kept) = mass_x / norm;
    ++kept;
  }
  return basis.leftCols(kept);
}

}  // namespace haptic
