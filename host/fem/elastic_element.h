#pragma once

#include <Eigen/Core>

#include "host/fem/elastic_model.h"
#include "host/fem/stvk_element.h"

namespace haptic {

/// Element of any elastic model by quadrature, F = I + sum u_a grad phi_a^T at each point; for
/// kStvk the functions of stvk_element.h. Displacements `u` in m; `Rule` is HexahedronQuadrature or
/// TetrahedronGeometry (of an AssumedStrainRule: assumed_strain_element.h), `Law` LameParameters or
/// ElasticityMatrix [Pa], kNeoHookean with the first only (`supports`). The corotational element
/// has a rotation at each point: one in a tetrahedron, 27 in a hexahedron. Source:
/// docs/methods/reduced-dynamics.md, "Other elastic models".
///
/// W [J]; infinite where a neo-Hookean element is inverted at a point
template <typename Rule, typename Law>
double elastic_energy(ElasticModel model, const Rule& rule, const Law& law,
                      const ElementVectors<Rule::kCorners>& u);
/// R = +dW/du [N]; not a number where a neo-Hookean element is inverted at a point
template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> elastic_force(ElasticModel model, const Rule& rule, const Law& law,
                                             const ElementVectors<Rule::kCorners>& u);
/// K = dR/du [N/m], symmetric
template <typename Rule, typename Law>
ElementSquare<Rule::kCorners> elastic_stiffness(ElasticModel model, const Rule& rule,
                                                const Law& law,
                                                const ElementVectors<Rule::kCorners>& u);
/// K(u) p [N] without K, for p in m
template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> elastic_stiffness_product(ElasticModel model, const Rule& rule,
                                                         const Law& law,
                                                         const ElementVectors<Rule::kCorners>& u,
                                                         const ElementVectors<Rule::kCorners>& p);

/// Whether the model is defined for the material: kNeoHookean needs lambda and mu.
inline bool supports(ElasticModel model, const LameParameters&) {
  (void)model;
  return true;
}
inline bool supports(ElasticModel model, const ElasticityMatrix&) {
  return model != ElasticModel::kNeoHookean;
}

}  // namespace haptic
