#include "host/unreduced/stiffness_products.h"

namespace haptic {

Eigen::VectorXd stiffness_product(const StvkModel& model, const Eigen::VectorXd& u,
                                  const Eigen::VectorXd& p) {
  const double size = p.cwiseAbs().maxCoeff();
  if (size == 0.0) return Eigen::VectorXd::Zero(p.size());
  const double h = 0.1 * (model.mesh().upper() - model.mesh().lower()).maxCoeff() / size;
  // R is a cubic polynomial: these differences are its derivative, not an approximation.
  return (8.0 * (model.force(u + h * p) - model.force(u - h * p)) -
          (model.force(u + 2.0 * h * p) - model.force(u - 2.0 * h * p))) /
         (12.0 * h);
}

Eigen::MatrixXd stiffness_blocks(const StvkModel& model, const Eigen::VectorXd& u) {
  const SparseMatrix K = model.stiffness(u);
  Eigen::MatrixXd blocks(3, K.cols());
  for (Eigen::Index c = 0; c < K.cols(); ++c) {
    for (Eigen::Index d = 0; d < 3; ++d) blocks(d, c) = K.coeff(c / 3 * 3 + d, c);
  }
  return blocks;
}

}  // namespace haptic
