#pragma once

#include <array>
#include <span>

#include "host/fem/assumed_strain_rule.h"
#include "host/fem/elastic_model.h"
#include "host/fem/stvk_element.h"

namespace haptic {

// The functions of stvk_element.h and elastic_element.h for a rule of assumed strains: every
// elastic model is a function of the strain as it is sampled.
double elastic_energy(ElasticModel model, const AssumedStrainRule& rule, const ElasticityMatrix& C,
                      const ElementVectors<8>& u);
ElementVectors<8> elastic_force(ElasticModel model, const AssumedStrainRule& rule,
                                const ElasticityMatrix& C, const ElementVectors<8>& u);
ElementSquare<8> elastic_stiffness(ElasticModel model, const AssumedStrainRule& rule,
                                   const ElasticityMatrix& C, const ElementVectors<8>& u);
ElementVectors<8> elastic_stiffness_product(ElasticModel model, const AssumedStrainRule& rule,
                                            const ElasticityMatrix& C, const ElementVectors<8>& u,
                                            const ElementVectors<8>& p);
inline double stvk_energy(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                          const ElementVectors<8>& u) {
  return elastic_energy(ElasticModel::kStvk, rule, C, u);
}
inline ElementVectors<8> stvk_force(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                                    const ElementVectors<8>& u) {
  return elastic_force(ElasticModel::kStvk, rule, C, u);
}
inline ElementSquare<8> stvk_stiffness(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                                       const ElementVectors<8>& u) {
  return elastic_stiffness(ElasticModel::kStvk, rule, C, u);
}
ElementVectors<8> stvk_hessian_product(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                                       const ElementVectors<8>& v, const ElementVectors<8>& w);
/// stvk_hessian_product of pairs of columns: a column of three rows per corner for each pair.
Eigen::Matrix<double, 24, Eigen::Dynamic, Eigen::RowMajor> stvk_hessian_products(
    const AssumedStrainRule& rule, const ElasticityMatrix& C,
    std::span<const ElementVectors<8>> columns, std::span<const std::array<int, 2>> pairs);
ElementVectors<8> strain_rate_damping_force(const AssumedStrainRule& rule,
                                            const LameParameters& viscosity,
                                            const ElementVectors<8>& u, const ElementVectors<8>& v);
Eigen::Matrix<double, 8, 8> consistent_mass(const AssumedStrainRule& rule, double density);

}  // namespace haptic
