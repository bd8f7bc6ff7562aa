#pragma once

#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_basis.h"

namespace haptic {

/// Basis of at most `dimension` columns from given modes and derivatives by mass-PCA, `basis` 3n x
/// r' with zeros at fixed vertices: what BasisBuilder makes of a request, without its checks of
/// rank.
inline MassPca modal_derivative_basis(const StvkModel& model, const LinearModes& modes,
                                      const ModalDerivatives& derivatives, int dimension) {
  const Eigen::MatrixXd columns = scaled_modal_columns(modes, derivatives);
  MassPca pca = mass_pca(model.scalar_mass(), model.restrict_to_free(columns), dimension);
  pca.basis = model.expand(pca.basis);
  return pca;
}

}  // namespace haptic
