#include "host/reduction/canonical_sign.h"

#include <cmath>

namespace haptic {

void make_largest_component_positive(Eigen::Ref<Eigen::MatrixXd> columns) {
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    const double threshold = (1.0 - 1e-6) * columns.col(c).cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < columns.rows(); ++i) {
      if (std::abs(columns(i, c)) < threshold) continue;
      if (columns(i, c) < 0.0) columns.col(c) *= -1.0;
      break;
    }
  }
}

}  // namespace haptic
