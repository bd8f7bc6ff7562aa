#include "host/reduction/rigid_alignment.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace haptic {
namespace {

// The rotation R that maximises tr(R^T A): its quaternion is the eigenvector of the largest
// eigenvalue of a symmetric 4x4 matrix (Horn 1987), also where the body is flat or inside out.
Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& A) {
  Eigen::MatrixXd form(4, 4);
  form(0, 0) = A.trace();
  const Eigen::Vector3d twice_axis(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
  form.block<3, 1>(1, 0) = twice_axis;
  form.block<1, 3>(0, 1) = twice_axis.transpose();
  form.block<3, 3>(1, 1) = A + A.transpose() - A.trace() * Eigen::Matrix3d::Identity();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(form);
  const Eigen::Vector4d q = solver.eigenvectors().col(3);
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

}  // namespace

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
    const Eigen::Matrix3d R = nearest_rotation(x * weighed);
    Eigen::Map<Eigen::Matrix3Xd>(deformations.col(c).data(), 3, count) = R.transpose() * x - rest;
  }
  return deformations;
}

}  // namespace haptic
