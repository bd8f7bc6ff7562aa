#include "rt/coupling/equilibrium_step.h"

#include <Eigen/LU>
#include <Eigen/SVD>

namespace haptic {

namespace {

using Svd = Eigen::JacobiSVD<Matrix6, Eigen::NoQRPreconditioner>;

// Minimum-norm solution in the retained directions, `y` in the others (Barbic 2007, Eq 4.42).
EquilibriumStep split_solution(const Matrix6& A, const Vector6& b,
                               const Vector6& y) HAPTIC_REALTIME {
  const Svd svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector6& s = svd.singularValues();
  EquilibriumStep result{Vector6::Zero(), 0};
  for (int i = 0; i < 6; ++i) {
    const auto u = svd.matrixU().col(i);
    const auto v = svd.matrixV().col(i);
    if (s[i] > 0.0 && s[i] >= kDegenerateRatio * s[0]) {
      result.step += u.dot(b) / s[i] * v;
    } else {
      result.step += v.dot(y) * v;
      ++result.degenerate;
    }
  }
  return result;
}

}  // namespace

EquilibriumStep equilibrium_step(const Matrix6& A, const Vector6& wrench,
                                 const Vector6& toward_manipulandum,
                                 double length) HAPTIC_REALTIME {
  Vector6 scale;  // unit of each unknown (m, or rad at `length`) and of each equation
  scale << 1.0, 1.0, 1.0, length, length, length;
  const Vector6 inverse_scale = scale.cwiseInverse();
  const Matrix6 scaled = inverse_scale.asDiagonal() * A * inverse_scale.asDiagonal();
  const Vector6 b = -inverse_scale.cwiseProduct(wrench);

  // |A|_F |A^-1|_F >= s1 / s6, so below 1/eps no direction is degenerate and LU gives the answer.
  const Eigen::PartialPivLU<Matrix6> lu(scaled);
  const Matrix6 inverse = lu.inverse();
  EquilibriumStep result;
  if (scaled.norm() * inverse.norm() < 1.0 / kDegenerateRatio) {
    result = {inverse * b, 0};
  } else {
    result = split_solution(scaled, b, scale.cwiseProduct(toward_manipulandum));
  }
  result.step = inverse_scale.cwiseProduct(result.step);
  return result;
}

}  // namespace haptic
