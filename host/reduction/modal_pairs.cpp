#include "host/reduction/modal_pairs.h"

namespace haptic {

std::vector<int> modal_clusters(const Eigen::Ref<const Eigen::VectorXd>& eigenvalues) {
  std::vector<int> clusters(static_cast<std::size_t>(eigenvalues.size()), 0);
  for (Eigen::Index i = 1; i < eigenvalues.size(); ++i) {
    const bool is_new = eigenvalues[i] - eigenvalues[i - 1] > kClusterTolerance * eigenvalues[i];
    clusters[static_cast<std::size_t>(i)] =
        clusters[static_cast<std::size_t>(i) - 1] + (is_new ? 1 : 0);
  }
  return clusters;
}

}  // namespace haptic
