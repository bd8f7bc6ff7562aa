#pragma once

#include <Eigen/Core>
#include <functional>

namespace haptic {

struct LanczosResult {
  Eigen::VectorXd values;   ///< k, descending
  Eigen::MatrixXd vectors;  ///< size x k, M-orthonormal
  int solves = 0;           ///< vectors the operator was applied to
};

struct LanczosOptions {
  int block = 8;             ///< largest multiplicity that is found
  double tolerance = 1e-12;  ///< |A x - theta x|_M <= tolerance theta, or the rounding floor
  int max_blocks = 60;
};

/// The k largest eigenpairs of A = S M, S = (K - sigma M)^-1: block Lanczos with full
/// reorthogonalisation in the M inner product from a fixed start block.
/// @param multiply_mass X -> M X
/// @param solve         M X -> A X
/// @throws OperationError without convergence
LanczosResult block_lanczos(
    int size, int k, const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& multiply_mass,
    const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& solve,
    const LanczosOptions& options = {});

}  // namespace haptic
