#include "host/fem/tetrahedron_locking.h"

namespace haptic {

double tetrahedron_bending_excess(double layers, const ElasticityMatrix& C) {
  // Exact for an isotropic material, an average over the axes of others.
  const double lambda = (C(0, 1) + C(0, 2) + C(1, 2)) / 3.0;
  const double mu = (C(3, 3) + C(4, 4) + C(5, 5)) / 3.0;
  const double youngs_modulus = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
  return (3.3 + 2.3 * lambda / youngs_modulus) / (layers * layers);
}

}  // namespace haptic
