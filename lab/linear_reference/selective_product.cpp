#include "lab/linear_reference/selective_product.h"

namespace haptic::lab {

Eigen::VectorXd selective_product(const Eigen::Ref<const Eigen::MatrixXd>& C,
                                  const Eigen::Ref<const Eigen::VectorXd>& f) {
  Eigen::VectorXd u = Eigen::VectorXd::Zero(C.rows());
  for (Eigen::Index j = 0; j < f.size(); ++j) {
    if (f[j] != 0.0) u += f[j] * C.col(j);
  }
  return u;
}

}  // namespace haptic::lab
