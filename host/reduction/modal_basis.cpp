#include "host/reduction/modal_basis.h"

#include <cmath>
#include <map>
#include <utility>

namespace haptic {
namespace {

/// Root mean square norm over all ordered pairs of two clusters.
std::map<std::pair<int, int>, double> cluster_norms(const std::vector<int>& clusters,
                                                    const ModalDerivatives& derivatives) {
  const int k = static_cast<int>(clusters.size());
  std::map<std::pair<int, int>, double> squares, counts;
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      const std::pair block(clusters[static_cast<std::size_t>(i)],
                            clusters[static_cast<std::size_t>(j)]);
      const double norm = derivatives.norms[derivatives.column(i, j, k)];
      squares[block] += norm * norm;
      counts[block] += 1.0;
    }
  }
  for (auto& [block, square] : squares) square = std::sqrt(square / counts[block]);
  return squares;
}

}  // namespace

Eigen::MatrixXd scaled_modal_columns(const LinearModes& modes,
                                     const ModalDerivatives& derivatives) {
  const auto& lambda = modes.eigenvalues;
  const int k = static_cast<int>(lambda.size());
  Eigen::MatrixXd columns(modes.shapes.rows(), k + derivatives.shapes.cols());
  for (int j = 0; j < k; ++j) columns.col(j) = (lambda[0] / lambda[j]) * modes.shapes.col(j);
  if (derivatives.shapes.cols() == 0) return columns;

  const std::vector<int> clusters = modal_clusters(lambda);
  auto norms = cluster_norms(clusters, derivatives);
  for (int i = 0; i < k; ++i) {
    for (int j = derivatives.ordered ? 0 : i; j < k; ++j) {
      const Eigen::Index pair = derivatives.column(i, j, k);
      const std::pair block(clusters[static_cast<std::size_t>(i)],
                            clusters[static_cast<std::size_t>(j)]);
      const double typical = norms[block];
      const bool stands_for_two = !derivatives.ordered && i != j && block.first == block.second;
      const double weight = (lambda[0] / lambda[i]) * (lambda[0] / lambda[j]) *
                            (typical > 0.0 ? derivatives.norms[pair] / typical : 0.0) *
                            (stands_for_two ? std::sqrt(2.0) : 1.0);
      columns.col(k + pair) = weight * derivatives.shapes.col(pair);
    }
  }
  return columns;
}

}  // namespace haptic
