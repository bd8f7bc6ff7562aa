#include "host/reduction/modal_derivatives.h"

#include <cmath>

#include "host/reduction/mass_pca.h"

namespace haptic {

ModalDerivatives modal_derivatives(const StvkModel& model,
                                   const SparseFactorization& rest_stiffness,
                                   const LinearModes& modes) {
  const int k = static_cast<int>(modes.shapes.cols());
  const SparseMatrix scalar_mass = model.scalar_mass();
  Eigen::MatrixXd loads = model.restrict_to_free(model.hessian_products(modes.shapes));
  loads *= -1.0;
  Eigen::MatrixXd raw = rest_stiffness.solve(loads);
  loads.resize(0, 0);

  ModalDerivatives derivatives;
  derivatives.norms =
      raw.cwiseProduct(multiply_mass(scalar_mass, raw)).colwise().sum().transpose().cwiseSqrt();
  // A derivative that vanishes by symmetry is rounding; normalising it would add noise.
  const auto norm_of = [&](int i, int j) { return derivatives.norms[modal_pair_index(i, j, k)]; };
  const double largest = derivatives.norms.maxCoeff();
  for (int i = 0; i < k; ++i) {
    for (int j = i; j < k; ++j) {
      const int pair = modal_pair_index(i, j, k);
      const double natural = std::sqrt(norm_of(i, i) * norm_of(j, j));
      if (derivatives.norms[pair] > std::max(1e-10 * natural, 1e-14 * largest)) {
        raw.col(pair) /= derivatives.norms[pair];
      } else {
        raw.col(pair).setZero();
        derivatives.norms[pair] = 0.0;
      }
    }
  }
  derivatives.shapes = model.expand(raw);
  return derivatives;
}

}  // namespace haptic
