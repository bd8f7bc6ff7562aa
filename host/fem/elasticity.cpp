#include "host/fem/elasticity.h"

#include <Eigen/Eigenvalues>
#include <numbers>

namespace haptic {

ElasticityMatrix isotropic_elasticity(const LameParameters& lame) {
  const auto [lambda, mu] = lame;
  ElasticityMatrix C = ElasticityMatrix::Zero();
  C.topLeftCorner<3, 3>().setConstant(lambda);
  C.diagonal() << lambda + 2.0 * mu, lambda + 2.0 * mu, lambda + 2.0 * mu, mu, mu, mu;
  return C;
}

ElasticityMatrix mandel_form(const ElasticityMatrix& C) {
  Eigen::Matrix<double, 6, 1> weight;
  weight << 1.0, 1.0, 1.0, std::numbers::sqrt2, std::numbers::sqrt2, std::numbers::sqrt2;
  return weight.asDiagonal() * C * weight.asDiagonal();
}

double smallest_stiffness(const ElasticityMatrix& C) {
  return Eigen::SelfAdjointEigenSolver<ElasticityMatrix>(mandel_form(C), Eigen::EigenvaluesOnly)
      .eigenvalues()[0];
}

}  // namespace haptic
