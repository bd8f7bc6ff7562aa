#include "host/fem/sampled_strain.h"

namespace haptic {
namespace {

constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

Eigen::Matrix3d stress_trace_weights(const ElasticityMatrix& C) {
  return stress_of(C, Eigen::Matrix3d::Identity());  // C is symmetric
}

/// X with its trace moved towards `mean` by the fraction `share`.
Eigen::Matrix3d averaged(Eigen::Matrix3d X, double share, double mean) {
  X.diagonal().array() -= share / 3.0 * (X.trace() - mean);
  return X;
}

}  // namespace

Eigen::Matrix3d strain_at(const StrainSample& sample, const ElementVectors<8>& u) {
  const Eigen::Matrix3d G = u * sample.gradient.transpose();
  const Eigen::Matrix<double, 3, 6> P = u * sample.shear.transpose();
  Eigen::Matrix3d E;
  for (int i = 0; i < 3; ++i) E(i, i) = G(i, i) + 0.5 * G.col(i).squaredNorm();
  for (int s = 0; s < 3; ++s) {
    const int i = kPairs[s][0], j = kPairs[s][1];
    const Eigen::Vector3d di = P.col(2 * s), dj = P.col(2 * s + 1);
    E(i, j) = E(j, i) = 0.5 * (dj[i] + di[j] + di.dot(dj));
  }
  return E;
}

MeanStrain::MeanStrain(const AssumedStrainRule& rule, const Eigen::Matrix3d& K) {
  for (std::size_t g = 0; g < AssumedStrainRule::kPoints; ++g) {
    for (int i = 0; i < 3; ++i) {
      const auto di = rule.gradient[g].row(i);
      linear_.row(i) += K(i, i) * di;
      quadratic_ += 0.5 * K(i, i) * di.transpose() * di;
    }
    for (int s = 0; s < 3; ++s) {
      const int i = kPairs[s][0], j = kPairs[s][1];
      const auto di = rule.shear[g].row(2 * s), dj = rule.shear[g].row(2 * s + 1);
      linear_.row(i) += K(i, j) * dj;
      linear_.row(j) += K(i, j) * di;
      quadratic_ += K(i, j) * di.transpose() * dj;
    }
  }
  linear_ /= AssumedStrainRule::kPoints;
  quadratic_ /= AssumedStrainRule::kPoints;
}

double MeanStrain::operator()(const ElementVectors<8>& u) const {
  return (linear_.array() * u.array()).sum() +
         (quadratic_.array() * (u.transpose() * u).array()).sum();
}

SampledStress::SampledStress(const AssumedStrainRule& rule, const ElasticityMatrix& C)
    : mean_share_(rule.mean_share),
      trace_(rule, Eigen::Matrix3d::Identity()),
      stress_trace_(rule, stress_trace_weights(C)) {}

Eigen::Matrix3d SampledStress::operator()(const ElasticityMatrix& C, const Eigen::Matrix3d& strain,
                                          const ElementVectors<8>& u) const {
  const Eigen::Matrix3d E = averaged(strain, mean_share_, trace_(u));
  return averaged(stress_of(C, E), mean_share_, stress_trace_(u));
}

}  // namespace haptic
