#include "host/reduction/rigid_alignment.h"

#include <Eigen/LU>
#include <Eigen/SVD>

namespace haptic {

Eigen::MatrixXd without_rigid_motion(const SparseMatrix& scalar_mass,
                                     const Eigen::Ref<const Eigen::Matrix3Xd>& vertices,
                                     const Eigen::Ref<const Eigen::MatrixXd>& columns) {
  const Eigen::Index count = vertices.cols();
  const Eigen::VectorXd weights = scalar_mass * Eigen::VectorXd::Ones(count);
  const auto centred = [&](const Eigen::Matrix3Xd& points) -> Eigen::Matrix3Xd {
    const Eigen::Vector3d centre = points * weights / weights.sum();
    return points.colwise() - centre;
  };
  const Eigen::Matrix3Xd rest = centred(vertices);
  const Eigen::MatrixX3d weighed = scalar_mass * rest.transpose();
  Eigen::MatrixXd deformations(columns.rows(), columns.cols());
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    const Eigen::Map<const Eigen::Matrix3Xd> u(columns.col(c).data(), 3, count);
    const Eigen::Matrix3Xd x = centred(vertices + u);
    // R maximises tr(R^T x M X^T): the orthogonal polar factor, or of determinant 1 where the body
    // is flat or inside out.
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(x * weighed,
                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double handed = (svd.matrixU() * svd.matrixV().transpose()).determinant();
    const Eigen::Matrix3d R = svd.matrixU() *
                              Eigen::Vector3d(1.0, 1.0, handed < 0.0 ? -1.0 : 1.0).asDiagonal() *
                              svd.matrixV().transpose();
    Eigen::Map<Eigen::Matrix3Xd>(deformations.col(c).data(), 3, count) = R.transpose() * x - rest;
  }
  return deformations;
}

}  // namespace haptic
