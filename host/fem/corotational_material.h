#pragma once

#include <Eigen/Core>

#include "host/fem/elasticity.h"

namespace haptic {

/// Corotational linear material at one deformation gradient F:
///   W = 1/2 e : C : e,  e = U - I,  F = R U,  det R = 1.
/// The first Piola stress P = dW/dF and its exact derivative, not the warped stiffness R C R^T: a
/// run's energy is then that of its forces, and Newton converges quadratically. `Law` is
/// LameParameters or ElasticityMatrix [Pa]; the axes of a general C turn with R.
/// Source: docs/methods/reduced-dynamics.md, "Other elastic models"; Muller & Gross 2004;
/// Barbic 2012.
///
/// F may be inverted: R stays a rotation, and U has a negative eigenvalue. Where two eigenvalues of
/// U sum to zero R is not unique; stress and derivative are then those of one of the rotations,
/// without the terms that are infinite there.
template <typename Law>
class CorotationalMaterial {
 public:
  CorotationalMaterial(const Law& law, const Eigen::Matrix3d& F);

  double energy_density() const;   ///< W [J/m^3]
  Eigen::Matrix3d stress() const;  ///< P [Pa]
  /// dP/dF : dF [Pa], for a change dF of F.
  Eigen::Matrix3d stress_change(const Eigen::Matrix3d& dF) const;

 private:
  const Law& law_;
  Eigen::Matrix3d R_, U_;
  Eigen::Matrix3d T_;  // C : (U - I), the stress conjugate to U
  Eigen::Matrix3d G_;  // (tr(U) I - U)^-1: the axis of a turn from the skew part of R^T dF
};

}  // namespace haptic
