#pragma once

#include <Eigen/Core>

#include "host/fem/elasticity.h"
#include "host/fem/hexahedron_quadrature.h"
#include "host/fem/tetrahedron_geometry.h"

namespace haptic {

/// A 3-vector per corner of an element with N corners.
template <int N>
using ElementVectors = Eigen::Matrix<double, 3, N>;
/// Rows and columns (x,y,z) per corner.
template <int N>
using ElementSquare = Eigen::Matrix<double, 3 * N, 3 * N>;
using ElementMatrix = ElementSquare<8>;

/// Element of a material whose stress is linear in the Green-Lagrange strain, by quadrature:
/// F = I + sum u_a grad phi_a^T, E = (F^T F - I)/2, S = C : E. Displacements `u` in m. `Rule` is
/// HexahedronQuadrature or TetrahedronGeometry; `Law` is LameParameters (StVK) or ElasticityMatrix
/// (general) [Pa]. Source: docs/methods/reduced-dynamics.md, "Elements and material".
///
/// W = 1/2 Int S:E dV [J]
template <typename Rule, typename Law>
double stvk_energy(const Rule& rule, const Law& law, const ElementVectors<Rule::kCorners>& u);
/// R = +dW/du [N]; column c = Int F S grad phi_c dV
template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> stvk_force(const Rule& rule, const Law& law,
                                          const ElementVectors<Rule::kCorners>& u);
/// K = dR/du [N/m], symmetric
template <typename Rule, typename Law>
ElementSquare<Rule::kCorners> stvk_stiffness(const Rule& rule, const Law& law,
                                             const ElementVectors<Rule::kCorners>& u);
/// K(u) p [N] without K, for p in m
template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> stvk_stiffness_product(const Rule& rule, const Law& law,
                                                      const ElementVectors<Rule::kCorners>& u,
                                                      const ElementVectors<Rule::kCorners>& p);
/// (H:v) w, the second directional derivative of R at u = 0 [N for v, w in m]; symmetric in (v, w).
template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> stvk_hessian_product(const Rule& rule, const Law& law,
                                                    const ElementVectors<Rule::kCorners>& v,
                                                    const ElementVectors<Rule::kCorners>& w);
/// Strain-rate damping force: S_D = phi tr(Edot) I + 2 psi Edot, at displacement u [m]
/// and velocity v [m/s]; `viscosity` = {phi, psi} [Pa s]. The dissipated power is force : v >= 0.
template <typename Rule>
ElementVectors<Rule::kCorners> strain_rate_damping_force(const Rule& rule,
                                                         const LameParameters& viscosity,
                                                         const ElementVectors<Rule::kCorners>& u,
                                                         const ElementVectors<Rule::kCorners>& v);

/// Scalar consistent mass block M_ab = Int rho phi_a phi_b dV [kg].
Eigen::Matrix<double, 8, 8> consistent_mass(const HexahedronQuadrature& quadrature, double density);
/// rho V / 20 (1 + delta_ab).
Eigen::Matrix<double, 4, 4> consistent_mass(const TetrahedronGeometry& geometry, double density);

}  // namespace haptic
