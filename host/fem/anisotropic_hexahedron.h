#pragma once

#include <Eigen/Core>

#include "host/fem/hexahedron_quadrature.h"

namespace haptic {

/// General linear material S = C : E as its symmetric 6x6 matrix [Pa] over the tensor pairs
/// (11,22,33,12,13,23): entry (p,q) = C_ijkl with p = ij, q = kl (tensor components, no factor 2).
/// Major and minor symmetry hold by construction: 21 independent constants.
using ElasticityMatrix = Eigen::Matrix<double, 6, 6>;

/// The isotropic C_ijkl = lambda d_ij d_kl + mu (d_ik d_jl + d_il d_jk).
ElasticityMatrix isotropic_elasticity(double lambda, double mu);

/// C_ijkl, indices 0..2.
double elasticity_component(const ElasticityMatrix& C, int i, int j, int k, int l);

/// W = 1/2 Int S:E dV [J] and R = dW/du [N], u in m. Spec reduced-dynamics 2.4.
double anisotropic_energy(const HexahedronQuadrature& quadrature, const ElasticityMatrix& C,
                          const CornerVectors& u);
CornerVectors anisotropic_force(const HexahedronQuadrature& quadrature, const ElasticityMatrix& C,
                                const CornerVectors& u);

}  // namespace haptic
