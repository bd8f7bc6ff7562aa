#pragma once

#include <Eigen/Core>
#include <vector>

namespace haptic {

/// Index of the pair i <= j of k in the order (0,0), (0,1), ..., (0,k-1), (1,1), ...
constexpr int modal_pair_index(int i, int j, int k) {
  return i * k - i * (i - 1) / 2 + (j - i);
}

constexpr int modal_pair_count(int k) {
  return k * (k + 1) / 2;
}

/// Eigenvalues whose relative difference is below this belong to one cluster. The eigensolver
/// computes copies of a multiple eigenvalue within 1e-10.
inline constexpr double kClusterTolerance = 1e-6;

/// Number of the cluster of every eigenvalue (ascending, > 0), counted from 0.
std::vector<int> modal_clusters(const Eigen::Ref<const Eigen::VectorXd>& eigenvalues);

}  // namespace haptic
