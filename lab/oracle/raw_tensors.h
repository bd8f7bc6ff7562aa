#pragma once

#include <Eigen/Core>
#include <vector>

#include "host/fem/stvk_model.h"

namespace haptic {

/// Raw reduced tensors of the classical path, element by element from the tables A, B, C, D
/// (Barbic 2007, eq 2.28-2.31); not symmetric in the coordinates:
///   R_l = P_li q_i + Q_lij q_i q_j + S_lijk q_i q_j q_k  (full sums).
struct RawTensors {
  /// @param basis 3n x r
  RawTensors(const SolidMesh& mesh, const Eigen::MatrixXd& basis);

  double Q(Eigen::Index l, Eigen::Index i, Eigen::Index j) const {
    return cubic[static_cast<std::size_t>((l * r + i) * r + j)];
  }
  double S(Eigen::Index l, Eigen::Index i, Eigen::Index j, Eigen::Index k) const {
    return quartic[static_cast<std::size_t>(((l * r + i) * r + j) * r + k)];
  }
  Eigen::VectorXd force(const Eigen::VectorXd& q) const;
  /// Barbic 2007, eq 2.32: column m is dR/dq_m, written out for the unsymmetric tensors.
  Eigen::MatrixXd stiffness(const Eigen::VectorXd& q) const;

  Eigen::Index r;
  Eigen::MatrixXd P;
  std::vector<double> cubic, quartic;
};

}  // namespace haptic
