#pragma once

#include <array>
#include <span>

#include "host/fem/assumed_strain_rule.h"
#include "host/fem/stvk_element.h"

namespace haptic {

/// Bilinear form behind the Green strain of an AssumedStrainRule, per point, and its adjoint.
/// A field of gradients holds, per point, the 9 columns of displacement gradients that the rule
/// samples: 3 normal, then pairs for the strains 12, 13, 23. Strains are (11, 22, 33, 2*12, 2*13,
/// 2*23), stresses (11, 22, 33, 12, 13, 23).
using SampledGradients = std::array<Eigen::Matrix<double, 3, 9>, AssumedStrainRule::kPoints>;
using SampledStrains = std::array<Eigen::Matrix<double, 6, 1>, AssumedStrainRule::kPoints>;

/// Of corner vectors u.
SampledGradients sampled_gradients(const AssumedStrainRule& rule, const ElementVectors<8>& u);
/// Takes the rule's share of the deviation of the trace from its mean away, of strains and, as the
/// adjoint, of stresses.
void average_trace(const AssumedStrainRule& rule, SampledStrains& values);

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
