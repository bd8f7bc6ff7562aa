#include "host/reduction/modal_basis.h"

namespace haptic {

Eigen::MatrixXd scaled_modal_columns(const LinearModes& modes,
                                     const ModalDerivatives& derivatives) {
  const auto& lambda = modes.eigenvalues;
  const int k = static_cast<int>(lambda.size());
  Eigen::MatrixXd columns(modes.shapes.rows(), k + derivatives.shapes.cols());
  for (int j = 0; j < k; ++j) columns.col(j) = (lambda[0] / lambda[j]) * modes.shapes.col(j);
  for (int i = 0; i < k; ++i) {
    for (int j = i; j < k; ++j) {
      const int pair = modal_pair_index(i, j, k);
      columns.col(k + pair) =
          (lambda[0] / lambda[i]) * (lambda[0] / lambda[j]) * derivatives.shapes.col(pair);
    }
  }
  return columns;
}

MassPca modal_derivative_basis(const StvkModel& model, const LinearModes& modes,
                               const ModalDerivatives& derivatives, int dimension, MassKind mass) {
  const Eigen::MatrixXd columns = scaled_modal_columns(modes, derivatives);
  MassPca pca = mass_pca(model.scalar_mass(mass), model.restrict_to_free(columns), dimension);
  pca.basis = model.expand(pca.basis);
  return pca;
}

}  // namespace haptic
