#include "host/bake/inertia_tensors.h"

#include "host/bake/group_mass.h"
#include "shared/math/pose.h"

namespace haptic {
namespace {

using Points = Eigen::Matrix<double, Eigen::Dynamic, 3>;

using Mode = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>;

Mode mode_of(const Eigen::Ref<const Eigen::MatrixXd>& basis, Eigen::Index j) {
  return {basis.col(j).data(), basis.rows() / 3, 3};
}

Points about_centre(const StvkModel& model) {
  const Vector3 centre = rigid_properties_of(model).centre;
  Points x(model.vertex_count(), 3);
  for (int v = 0; v < model.vertex_count(); ++v) {
    x.row(v) = (model.mesh().vertex(v) - centre).transpose();
  }
  return x;
}

void append_symmetric(const Matrix3& m, std::vector<double>& to) {
  to.insert(to.end(), {m(0, 0), m(1, 1), m(2, 2), 0.5 * (m(0, 1) + m(1, 0)),
                       0.5 * (m(0, 2) + m(2, 0)), 0.5 * (m(1, 2) + m(2, 1))});
}

/// sum m a x b from sum m a b^T.
Vector3 axial(const Matrix3& m) {
  return {m(1, 2) - m(2, 1), m(2, 0) - m(0, 2), m(0, 1) - m(1, 0)};
}

}  // namespace

InertiaTensors inertia_tensors(const StvkModel& model,
                               const Eigen::Ref<const Eigen::MatrixXd>& basis) {
  const SparseMatrix mass = model.scalar_mass();
  const Points x = about_centre(model);
  InertiaTensors tensors;
  for (Eigen::Index i = 0; i < basis.cols(); ++i) {
    const Points weighted = mass * mode_of(basis, i);
    const Matrix3 first = x.transpose() * weighted;
    append_symmetric(first + first.transpose(), tensors.linear);
    for (Eigen::Index j = i; j < basis.cols(); ++j) {
      const Matrix3 second = weighted.transpose() * mode_of(basis, j);
      append_symmetric(second, tensors.quadratic);
      const Vector3 spin = axial(second);
      tensors.spin.insert(tensors.spin.end(), {spin.x(), spin.y(), spin.z()});
    }
  }
  return tensors;
}

BasisMomentum basis_momentum(const StvkModel& model,
                             const Eigen::Ref<const Eigen::MatrixXd>& basis) {
  const SparseMatrix mass = model.scalar_mass();
  const Points x = about_centre(model);
  BasisMomentum momentum{Eigen::Matrix3Xd(3, basis.cols()), Eigen::Matrix3Xd(3, basis.cols())};
  for (Eigen::Index j = 0; j < basis.cols(); ++j) {
    const Points weighted = mass * mode_of(basis, j);
    momentum.linear.col(j) = weighted.colwise().sum().transpose();
    momentum.angular.col(j) = axial(x.transpose() * weighted);
  }
  return momentum;
}

}  // namespace haptic
