#include "lab/linear_reference/static_compliance.h"

#include <Eigen/QR>

namespace haptic::lab {

Eigen::MatrixXd static_compliance(const Eigen::MatrixXd& C, const Eigen::MatrixXd& U1,
                                  const Eigen::VectorXd& lambda1) {
  return C - U1 * lambda1.cwiseInverse().asDiagonal() * U1.transpose();
}

Eigen::MatrixXd printed_static_compliance(const Eigen::MatrixXd& C, const Eigen::MatrixXd& U1) {
  // U2 U2^T = I - Q Q^T with an orthonormal basis Q of the columns of U1.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(U1);
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(U1.rows(), U1.cols());
  return C - (C * Q) * Q.transpose();
}

}  // namespace haptic::lab
