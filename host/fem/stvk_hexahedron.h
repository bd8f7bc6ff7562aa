#pragma once

#include <Eigen/Core>

#include "host/fem/hexahedron_quadrature.h"
#include "host/fem/material.h"

namespace haptic {

/// Rows and columns (x,y,z) per corner.
using ElementMatrix = Eigen::Matrix<double, 24, 24>;

/// St. Venant-Kirchhoff element by quadrature (spec reduced-dynamics 2.3): F = I + sum u_a grad
/// phi_a^T, E = (F^T F - I)/2, S = lambda tr(E) I + 2 mu E. Displacements `u` in m.
///
/// W = 1/2 Int S:E dV [J]
double stvk_energy(const HexahedronQuadrature& quadrature, const LameParameters& lame,
                   const CornerVectors& u);
/// R = +dW/du [N]; column c = Int F S grad phi_c dV
CornerVectors stvk_force(const HexahedronQuadrature& quadrature, const LameParameters& lame,
                         const CornerVectors& u);
/// K = dR/du [N/m], symmetric
ElementMatrix stvk_stiffness(const HexahedronQuadrature& quadrature, const LameParameters& lame,
                             const CornerVectors& u);
/// (H:v) w, the second directional derivative of R at u = 0 [N for v, w in m]; symmetric in (v, w).
CornerVectors stvk_hessian_product(const HexahedronQuadrature& quadrature,
                                   const LameParameters& lame, const CornerVectors& v,
                                   const CornerVectors& w);
/// Strain-rate damping force (spec 2.9): S_D = phi tr(Edot) I + 2 psi Edot, at displacement u [m]
/// and velocity v [m/s]; `viscosity` = {phi, psi} [Pa s]. The dissipated power is force : v >= 0.
CornerVectors strain_rate_damping_force(const HexahedronQuadrature& quadrature,
                                        const LameParameters& viscosity, const CornerVectors& u,
                                        const CornerVectors& v);
/// Scalar consistent mass block M_ab = Int rho phi_a phi_b dV [kg].
Eigen::Matrix<double, 8, 8> consistent_mass(const HexahedronQuadrature& quadrature, double density);

}  // namespace haptic
