#include "host/reduction/block_lanczos.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "host/reduction/fixed_block.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using BlockMap = std::function<MatrixXd(const MatrixXd&)>;

// M-orthonormal blocks V_0, V_1, ... together with M V.
struct Space {
  std::vector<MatrixXd> V, MV;
  Eigen::Index dimension = 0;

  void append(MatrixXd block, MatrixXd mass_block) {
    dimension += block.cols();
    V.push_back(std::move(block));
    MV.push_back(std::move(mass_block));
  }

  // X -> X - V (V^T M X)
  void remove_from(MatrixXd& X) const {
    for (std::size_t b = 0; b < V.size(); ++b) {
      const MatrixXd parts = MV[b].transpose() * X;
      X.noalias() -= V[b] * parts;
    }
  }

  // (V^T M X), all rows
  MatrixXd project(const MatrixXd& X) const {
    MatrixXd parts(dimension, X.cols());
    Eigen::Index row = 0;
    for (const MatrixXd& block : MV) {
      parts.middleRows(row, block.cols()).noalias() = block.transpose() * X;
      row += block.cols();
    }
    return parts;
  }

  MatrixXd combine(const MatrixXd& coefficients) const {
    MatrixXd X = MatrixXd::Zero(V.front().rows(), coefficients.cols());
    Eigen::Index row = 0;
    for (const MatrixXd& block : V) {
      X.noalias() += block * coefficients.middleRows(row, block.cols());
      row += block.cols();
    }
    return X;
  }
};

// Orthonormalises X against the space and within itself; drops columns that vanish. Returns the
// orthonormal block; `coupling` gets R with X_remaining = Q R, for the residual norms.
MatrixXd next_block(const Space& space, MatrixXd X, const BlockMap& multiply_mass,
                    MatrixXd& coupling, MatrixXd& mass_block) {
  const VectorXd before = X.cwiseProduct(multiply_mass(X)).colwise().sum().cwiseSqrt();
  space.remove_from(X);
  space.remove_from(X);
  MatrixXd Q(X.rows(), X.cols()), MQ(X.rows(), X.cols());
  coupling = MatrixXd::Zero(X.cols(), X.cols());
  Eigen::Index kept = 0;
  for (Eigen::Index c = 0; c < X.cols(); ++c) {
    VectorXd x = X.col(c);
    for (int pass = 0; pass < 2; ++pass) {
      const VectorXd parts = MQ.leftCols(kept).transpose() * x;
      x -= Q.leftCols(kept) * parts;
      coupling.col(c).head(kept) += parts;
    }
    VectorXd mass_x = multiply_mass(x);
    double norm = std::sqrt(std::max(0.0, x.dot(mass_x)));
    if (norm <= 1e-13 * before[c]) continue;
    coupling(kept, c) = norm;
    if (norm <= 1e-6 * before[c]) {
      // The remainder is small: its component in the space is no longer negligible against it.
      x /= norm;
      MatrixXd again = x;
      space.remove_from(again);
      x = again.col(0);
      x -= Q.leftCols(kept) * VectorXd(MQ.leftCols(kept).transpose() * x);
      mass_x = multiply_mass(x);
      norm = std::sqrt(x.dot(mass_x));
    }
    Q.col(kept) = x / norm;
    MQ.col(kept) = mass_x / norm;
    ++kept;
  }
  mass_block = MQ.leftCols(kept);
  coupling.conservativeResize(kept, Eigen::NoChange);
  return Q.leftCols(kept);
}

}  // namespace

LanczosResult block_lanczos(int size, int k, const BlockMap& multiply_mass, const BlockMap& solve,
                            const LanczosOptions& options) {
  const int block = std::min(options.block, size);
  Space space;
  MatrixXd T(0, 0);  // V^T M A V
  LanczosResult result;
  // One application first: the start block then lies mostly in the wanted space.
  MatrixXd X = solve(multiply_mass(fixed_block(size, block, 20050731)));
  result.solves = block;
  MatrixXd coupling, mass_block;
  MatrixXd Q = next_block(space, X, multiply_mass, coupling, mass_block);
  std::uint64_t refill = 0;
  double last_error = 0.0;
  // k modes need k / block blocks at least.
  const int max_blocks = options.max_blocks + 4 * k / block;
  for (int step = 0; step < max_blocks; ++step) {
    X = solve(mass_block);
    result.solves += static_cast<int>(X.cols());
    space.append(std::move(Q), std::move(mass_block));
    const Eigen::Index d = space.dimension, added = X.cols();
    T.conservativeResize(d, d);
    T.rightCols(added) = space.project(X);
    T.bottomLeftCorner(added, d - added) = T.topRightCorner(d - added, added).transpose();
    // Rounding makes the new diagonal block slightly unsymmetric.
    T.bottomRightCorner(added, added) =
        0.5 *
        (T.bottomRightCorner(added, added) + T.bottomRightCorner(added, added).transpose()).eval();
    Q = next_block(space, X, multiply_mass, coupling, mass_block);

    if (d >= k) {
      const Eigen::SelfAdjointEigenSolver<MatrixXd> ritz(T);
      const VectorXd theta = ritz.eigenvalues().reverse().head(k);
      const MatrixXd y = ritz.eigenvectors().rowwise().reverse().leftCols(k);
      const MatrixXd residuals = coupling * y.bottomRows(added);
      const VectorXd errors = residuals.colwise().norm().transpose().cwiseQuotient(theta);
      last_error = errors.maxCoeff();
      const bool is_whole = d == size;
      if (last_error <= options.tolerance || is_whole) {
        result.values = theta;
        result.vectors = space.combine(y);
        return result;
      }
    }
    if (Q.cols() == 0) {
      // Invariant subspace that is too small: go on from new directions.
      X = solve(multiply_mass(
          fixed_block(size, std::min<int>(block, size - static_cast<int>(d)), ++refill)));
      Q = next_block(space, X, multiply_mass, coupling, mass_block);
    }
  }
  throw OperationError(fmt::format(
      "linear modes: {} modes not converged after {} vectors (relative residual {:.1e})", k,
      space.dimension, last_error));
}

}  // namespace haptic
