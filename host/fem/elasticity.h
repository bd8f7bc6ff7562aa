#pragma once

#include <Eigen/Core>

#include "host/fem/material.h"

namespace haptic {

/// General linear material S = C : E as its symmetric 6x6 matrix [Pa] over the tensor pairs
/// (11,22,33,12,13,23): entry (p,q) = C_ijkl with p = ij, q = kl (tensor components, no factor 2).
/// Major and minor symmetry hold by construction: 21 independent constants.
using ElasticityMatrix = Eigen::Matrix<double, 6, 6>;

/// The isotropic C_ijkl = lambda d_ij d_kl + mu (d_ik d_jl + d_il d_jk).
ElasticityMatrix isotropic_elasticity(const LameParameters& lame);

/// C over the orthonormal basis (11, 22, 33, sqrt2 12, sqrt2 13, sqrt2 23) of symmetric tensors
/// (Mandel): S:E = e^T form e with |e| = |E| [Pa].
ElasticityMatrix mandel_form(const ElasticityMatrix& C);

/// Smallest eigenvalue of that form [Pa]: the least S:E over |E| = 1. Positive: every strain stores
/// energy.
double smallest_stiffness(const ElasticityMatrix& C);

/// C : sym(X) [Pa].
inline Eigen::Matrix3d stress_of(const LameParameters& lame, const Eigen::Matrix3d& X) {
  Eigen::Matrix3d stress = lame.mu * (X + X.transpose());
  stress.diagonal().array() += lame.lambda * X.trace();
  return stress;
}
inline Eigen::Matrix3d stress_of(const ElasticityMatrix& C, const Eigen::Matrix3d& X) {
  Eigen::Matrix<double, 6, 1> strain;
  strain << X(0, 0), X(1, 1), X(2, 2), X(0, 1) + X(1, 0), X(0, 2) + X(2, 0), X(1, 2) + X(2, 1);
  const Eigen::Matrix<double, 6, 1> s = C * strain;
  Eigen::Matrix3d stress;
  stress << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  return stress;
}

}  // namespace haptic
