#pragma once

#include <Eigen/Core>

namespace haptic {

/// Singular values of Z in descending order, and left singular vectors of the largest.
struct LeftSvd {
  Eigen::MatrixXd vectors;  ///< rows of Z x kept
  Eigen::VectorXd values;   ///< all, accurate to 1e-15 sigma_1
};

/// The decomposition without a Gram matrix, which would lose all values below 1e-8 sigma_1.
/// @param Z          at least one row and column, all finite
/// @param wanted     most vectors to keep
/// @param threshold  vectors whose value is below this fraction of sigma_1 are not kept
/// @throws OperationError if it does not converge or Z is too large for LAPACK
LeftSvd left_svd(const Eigen::MatrixXd& Z, int wanted, double threshold);

}  // namespace haptic
