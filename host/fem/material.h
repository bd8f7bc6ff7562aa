#pragma once

namespace haptic {

/// Lame constants [Pa].
struct LameParameters {
  double lambda = 0.0;
  double mu = 0.0;
};

/// Homogeneous isotropic linear material (St. Venant-Kirchhoff).
struct Material {
  double youngs_modulus = 0.0;  ///< E [Pa] > 0
  double poisson_ratio = 0.0;   ///< nu, -1 < nu < 1/2
  double density = 0.0;         ///< rho [kg/m^3] > 0

  /// lambda = nu E / ((1+nu)(1-2nu)), mu = E / (2(1+nu)): Barbic 2007, eq 2.13.
  LameParameters lame() const {
    return {poisson_ratio * youngs_modulus / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio)),
            youngs_modulus / (2.0 * (1.0 + poisson_ratio))};
  }
};

}  // namespace haptic
