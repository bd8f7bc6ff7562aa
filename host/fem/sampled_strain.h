#pragma once

#include "host/fem/assumed_strain_rule.h"
#include "host/fem/stvk_element.h"

namespace haptic {

/// Green strain E [1] at the place of a sample, before mean dilatation. @param u corner values [m]
Eigen::Matrix3d strain_at(const StrainSample& sample, const ElementVectors<8>& u);

/// K : E averaged over the integration points of an element, as a polynomial of the displacement.
class MeanStrain {
 public:
  /// @param K symmetric
  MeanStrain(const AssumedStrainRule& rule, const Eigen::Matrix3d& K);
  double operator()(const ElementVectors<8>& u) const;

 private:
  CornerVectors linear_ = CornerVectors::Zero();
  Eigen::Matrix<double, 8, 8> quadratic_ = Eigen::Matrix<double, 8, 8>::Zero();
};

/// Stress at any place of an element of assumed strains. Where strain is pointwise it is C : E.
class SampledStress {
 public:
  SampledStress(const AssumedStrainRule& rule, const ElasticityMatrix& C);
  /// Second Piola-Kirchhoff stress [Pa], conjugate to E: mean dilatation before and after C.
  /// @param C of the constructor @param strain of strain_at
  Eigen::Matrix3d operator()(const ElasticityMatrix& C, const Eigen::Matrix3d& strain,
                             const ElementVectors<8>& u) const;

 private:
  double mean_share_;
  MeanStrain trace_, stress_trace_;
};

}  // namespace haptic
