#include "host/fem/corotational_material.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <type_traits>

namespace haptic {
namespace {

using Matrix3 = Eigen::Matrix3d;
using Vector3 = Eigen::Vector3d;

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
}

/// a with [a]x the skew part of m.
Vector3 axis_of(const Matrix3& m) {
  return 0.5 * Vector3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

Matrix3 symmetric_part(const Matrix3& m) {
  return 0.5 * (m + m.transpose());
}

/// Whether C : e and e commute for every e: the term of the stress that turns with the axes of the
/// material is then zero.
template <typename Law>
constexpr bool kIsotropic = std::is_same_v<Law, LameParameters>;

}  // namespace

template <typename Law>
CorotationalMaterial<Law>::CorotationalMaterial(const Law& law, const Matrix3& F) : law_(law) {
  const Eigen::JacobiSVD<Matrix3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3 left = svd.matrixU();
  Vector3 stretch = svd.singularValues();  // descending
  if (left.determinant() * svd.matrixV().determinant() < 0.0) {
    left.col(2) *= -1.0;
    stretch[2] *= -1.0;
  }
  R_ = left * svd.matrixV().transpose();
  U_ = svd.matrixV() * stretch.asDiagonal() * svd.matrixV().transpose();
  T_ = stress_of(law_, U_ - Matrix3::Identity());
  Vector3 inverse;
  for (int i = 0; i < 3; ++i) {
    const double sum = stretch.sum() - stretch[i];
    inverse[i] = std::abs(sum) > 1e-12 * stretch[0] ? 1.0 / sum : 0.0;
  }
  G_ = svd.matrixV() * inverse.asDiagonal() * svd.matrixV().transpose();
}

template <typename Law>
double CorotationalMaterial<Law>::energy_density() const {
  return 0.5 * T_.cwiseProduct(U_ - Matrix3::Identity()).sum();
}

// A change dF changes R by R [w]x, where w = 2 G a and a is the axis of the skew part of R^T dF,
// and U by dU = sym(R^T dF - [w]x U). Then dW = T : dU; the part T : [w]x U is 2 t . w with t the
// axis of the skew part of T U, zero for an isotropic material.
template <typename Law>
Matrix3 CorotationalMaterial<Law>::stress() const {
  if constexpr (kIsotropic<Law>) return R_ * T_;
  return R_ * (T_ - cross_matrix(2.0 * G_ * axis_of(T_ * U_)));
}

template <typename Law>
Matrix3 CorotationalMaterial<Law>::stress_change(const Matrix3& dF) const {
  const Matrix3 local = R_.transpose() * dF;
  const Matrix3 turn = cross_matrix(2.0 * G_ * axis_of(local));
  const Matrix3 dU = symmetric_part(local - turn * U_);
  const Matrix3 dT = stress_of(law_, dU);
  if constexpr (kIsotropic<Law>) return R_ * (turn * T_ + dT);
  const Vector3 t = axis_of(T_ * U_);
  const Matrix3 dG = -G_ * (dU.trace() * Matrix3::Identity() - dU) * G_;
  const Vector3 change = 2.0 * (dG * t + G_ * axis_of(dT * U_ + T_ * dU));
  return R_ * (turn * (T_ - cross_matrix(2.0 * G_ * t)) + dT - cross_matrix(change));
}

template class CorotationalMaterial<LameParameters>;
template class CorotationalMaterial<ElasticityMatrix>;

}  // namespace haptic
