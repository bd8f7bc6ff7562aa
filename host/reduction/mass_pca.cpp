#include "host/reduction/mass_pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/multigrid/block_rows.h"
#include "host/parallel/parallel_ranges.h"
#include "host/reduction/canonical_sign.h"
#include "host/reduction/left_svd.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Singular values below this fraction of the largest do not count.
constexpr double kRankThreshold = 1e-10;

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

/// X = Q R with M-orthonormal columns of Q, by Gram-Schmidt on blocks of columns, so that the
/// basis is read once for a block.
struct MassQr {
  Eigen::MatrixXd Q;  ///< 3v x rank
  Eigen::MatrixXd R;  ///< rank x N
};

/// A column whose remainder is below `threshold` of its norm adds none to Q.
MassQr mass_qr(const SparseMatrix& scalar_mass, Eigen::MatrixXd X, double threshold) {
  constexpr Eigen::Index kBlock = 16;
  constexpr double kSmall = 1e-4;
  const Eigen::Index n = X.cols();
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(n, n);
  Eigen::MatrixXd mass_block(X.rows(), kBlock);
  Eigen::Index kept = 0;  // Q is the first columns of X
  for (Eigen::Index begin = 0; begin < n; begin += kBlock) {
    const Eigen::Index columns = std::min(kBlock, n - begin), first = kept;
    Eigen::MatrixXd block = X.middleCols(begin, columns);
    Eigen::MatrixXd mass_of = multiply_mass(scalar_mass, block);
    const Eigen::VectorXd before =
        block.cwiseProduct(mass_of).colwise().sum().transpose().cwiseMax(0.0).cwiseSqrt();
    // A second pass: after the first the remainder may be small against the removed part.
    for (int pass = 0; pass < 2; ++pass) {
      if (pass > 0) mass_of = multiply_mass(scalar_mass, block);
      const Eigen::MatrixXd parts = X.leftCols(first).transpose() * mass_of;
      block.noalias() -= X.leftCols(first) * parts;
      R.block(0, begin, first, columns) += parts;
    }
    for (Eigen::Index c = 0; c < columns; ++c) {
      if (!(before[c] > 0.0)) continue;
      const Eigen::Index own = kept - first;
      Eigen::VectorXd x = block.col(c);
      for (int pass = 0; pass < 2; ++pass) {
        const Eigen::VectorXd parts = mass_block.leftCols(own).transpose() * x;
        x.noalias() -= X.middleCols(first, own) * parts;
        R.col(begin + c).segment(first, own) += parts;
      }
      Eigen::VectorXd mass_x = multiply_mass(scalar_mass, x);
      double norm = std::sqrt(std::max(0.0, x.dot(mass_x)));
      if (norm <= threshold * before[c] || kept == X.rows()) continue;
      R(kept, begin + c) = norm;
      x /= norm;
      if (norm <= kSmall * before[c]) {
        // The remainder is small: its part in the space is no longer negligible beside it.
        mass_x /= norm;
        const Eigen::VectorXd parts = X.leftCols(kept).transpose() * mass_x;
        x.noalias() -= X.leftCols(kept) * parts;
        mass_x = multiply_mass(scalar_mass, x);
        norm = std::sqrt(x.dot(mass_x));
        x /= norm;
      }
      X.col(kept++) = x;
      mass_block.col(own) = mass_x / norm;
    }
  }
  return {X.leftCols(kept), R.topRows(kept)};
}

}  // namespace

Eigen::MatrixXd multiply_mass(const SparseMatrix& scalar_mass,
                              const Eigen::Ref<const Eigen::MatrixXd>& X) {
  using Values = LaneVector<double>;
  Eigen::MatrixXd product(X.rows(), X.cols());
  Lanes<double> group(X.rows(), kLanes), image(X.rows(), kLanes);
  for (Eigen::Index c = 0; c < X.cols(); c += kLanes) {
    const Eigen::Index count = std::min<Eigen::Index>(kLanes, X.cols() - c);
    group.leftCols(count) = X.middleCols(c, count);
    group.rightCols(kLanes - count).setZero();
    parallel_ranges(static_cast<std::size_t>(scalar_mass.cols()), kRowGrain,
                    [&](std::size_t from, std::size_t to) {
                      for (std::size_t j = from; j != to; ++j) {
                        // Row j of the symmetric M_s is its column j.
                        Values sum[3] = {Values::Zero(), Values::Zero(), Values::Zero()};
                        for (SparseMatrix::InnerIterator it(scalar_mass, static_cast<int>(j)); it;
                             ++it) {
                          const double* x = group.data() + 3 * kLanes * it.row();
                          for (int d = 0; d < 3; ++d) {
                            sum[d] += it.value() * Eigen::Map<const Values>(x + kLanes * d);
                          }
                        }
                        double* out = image.data() + 3 * kLanes * j;
                        for (int d = 0; d < 3; ++d) {
                          Eigen::Map<Values>(out + kLanes * d) = sum[d];
                        }
                      }
                    });
    product.middleCols(c, count) = image.leftCols(count);
  }
  return product;
}

MassPca mass_pca(const SparseMatrix& scalar_mass, const Eigen::Ref<const Eigen::MatrixXd>& columns,
                 int dimension) {
  check_columns(scalar_mass, columns);
  if (dimension < 1) {
    throw InputError("mass-PCA", "dimension", fmt::format("found {}", dimension), "at least 1");
  }
  // What is left of a dependent column is rounding, some 1e-15; far below kRankThreshold.
  constexpr double kRounding = 1e-12;
  const MassQr qr = mass_qr(scalar_mass, columns, kRounding);
  if (qr.Q.cols() == 0) {
    throw InputError("mass-PCA", "columns", "found only zeros", "at least one displacement");
  }
  const LeftSvd svd = left_svd(qr.R, dimension, kRankThreshold);

  MassPca pca;
  // Those of dependent columns are rounding.
  pca.singular_values = Eigen::VectorXd::Zero(std::min(columns.rows(), columns.cols()));
  pca.singular_values.head(svd.values.size()) = svd.values;
  pca.rank = static_cast<int>((svd.values.array() > kRankThreshold * svd.values[0]).count());
  pca.captured = svd.values.head(svd.vectors.cols()).squaredNorm() / svd.values.squaredNorm();
  pca.basis = qr.Q * svd.vectors;
  make_largest_component_positive(pca.basis);
  return pca;
}

Eigen::MatrixXd mass_gram_schmidt(const SparseMatrix& scalar_mass,
                                  const Eigen::Ref<const Eigen::MatrixXd>& columns,
                                  double threshold) {
  check_columns(scalar_mass, columns);
  return mass_qr(scalar_mass, columns, threshold).Q;
}

}  // namespace haptic
