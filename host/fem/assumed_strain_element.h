#pragma once

#include <array>
#include <span>

#include "host/fem/assumed_strain_rule.h"
#include "host/fem/stvk_element.h"

namespace haptic {

// The functions of stvk_element.h for a rule of assumed strains, with E as it is sampled.
double stvk_energy(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                   const ElementVectors<8>& u);
ElementVectors<8> stvk_force(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                             const ElementVectors<8>& u);
ElementSquare<8> stvk_stiffness(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                                const ElementVectors<8>& u);
ElementVectors<8> stvk_stiffness_product(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                                         const ElementVectors<8>& u, const ElementVectors<8>& p);
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
