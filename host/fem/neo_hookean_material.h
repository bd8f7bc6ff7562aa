#pragma once

#include <Eigen/Core>

#include "host/fem/material.h"

namespace haptic {

/// Compressible neo-Hookean material at one deformation gradient F, J = det F:
///   W = mu/2 (|F|^2 - 3) - mu ln J + lambda/2 (ln J)^2.
/// The energy grows beyond every bound as J falls to 0; at J <= 0 it is infinite and the stress not
/// a number, which a line search steps back from.
/// Source: docs/methods/reduced-dynamics.md, "Other elastic models"; Bonet & Wood 2008.
class NeoHookeanMaterial {
 public:
  /// @param lame lambda, mu [Pa]
  NeoHookeanMaterial(const LameParameters& lame, const Eigen::Matrix3d& F);

  double energy_density() const;   ///< W [J/m^3]
  Eigen::Matrix3d stress() const;  ///< P = dW/dF [Pa]
  /// dP/dF : dF [Pa], for a change dF of F.
  Eigen::Matrix3d stress_change(const Eigen::Matrix3d& dF) const;

 private:
  LameParameters lame_;
  Eigen::Matrix3d F_, inverse_transpose_;
  double log_volume_;  // ln J; not a number where J <= 0
};

}  // namespace haptic
