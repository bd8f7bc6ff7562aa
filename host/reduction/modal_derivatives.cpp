#include "host/reduction/modal_derivatives.h"

#include <algorithm>
#include <cmath>

#include "host/reduction/mass_pca.h"
#include "host/reduction/second_order_system.h"
#include "host/reduction/stvk_rest_system.h"

namespace haptic {

Eigen::MatrixXd modal_derivative_block(const StvkModel& model, const LinearSolver& rest_stiffness,
                                       const LinearModes& modes, int block) {
  const int pairs = modal_pair_count(static_cast<int>(modes.shapes.cols()));
  const int begin = block * kDerivativeBlock;
  return static_derivatives(StvkRestSystem(model, rest_stiffness),
                            model.restrict_to_free(modes.shapes), begin,
                            std::min(begin + kDerivativeBlock, pairs));
}

ModalDerivatives normalised_derivatives(const StvkModel& model, Eigen::MatrixXd raw, int k,
                                        bool ordered) {
  const SparseMatrix scalar_mass = model.scalar_mass();
  ModalDerivatives derivatives;
  derivatives.ordered = ordered;
  derivatives.norms =
      raw.cwiseProduct(multiply_mass(scalar_mass, raw)).colwise().sum().transpose().cwiseSqrt();
  // A derivative that vanishes by symmetry is rounding; normalising it would add noise.
  const Eigen::VectorXd norms = derivatives.norms;
  const double largest = norms.maxCoeff();
  for (int i = 0; i < k; ++i) {
    for (int j = ordered ? 0 : i; j < k; ++j) {
      const Eigen::Index pair = derivatives.column(i, j, k);
      const double natural =
          std::sqrt(norms[derivatives.column(i, i, k)] * norms[derivatives.column(j, j, k)]);
      if (norms[pair] > std::max(1e-10 * natural, 1e-14 * largest)) {
        raw.col(pair) /= norms[pair];
      } else {
        raw.col(pair).setZero();
        derivatives.norms[pair] = 0.0;
      }
    }
  }
  derivatives.shapes = model.expand(raw);
  return derivatives;
}

ModalDerivatives modal_derivatives(const StvkModel& model, const LinearSolver& rest_stiffness,
                                   const LinearModes& modes) {
  const int k = static_cast<int>(modes.shapes.cols());
  Eigen::MatrixXd raw(model.free_dof_count(), modal_pair_count(k));
  for (int block = 0; block < modal_derivative_blocks(k); ++block) {
    const Eigen::MatrixXd columns = modal_derivative_block(model, rest_stiffness, modes, block);
    raw.middleCols(block * kDerivativeBlock, columns.cols()) = columns;
  }
  return normalised_derivatives(model, std::move(raw), k);
}

}  // namespace haptic
