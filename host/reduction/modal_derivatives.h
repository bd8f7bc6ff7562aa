#pragma once

#include <Eigen/Core>

#include "host/reduction/linear_modes.h"

namespace haptic {

/// Index of the pair i <= j of k in the order (0,0), (0,1), ..., (0,k-1), (1,1), ...
constexpr int modal_pair_index(int i, int j, int k) {
  return i * k - i * (i - 1) / 2 + (j - i);
}

/// Modal derivatives of an anchored body for all pairs i <= j (spec reduced-dynamics 2.12).
struct ModalDerivatives {
  Eigen::MatrixXd shapes;  ///< 3n x k(k+1)/2, mass-normalised Phi_ij [kg^-1/2]
  /// |PhiU_ij|_M [m^-1 kg^-1/2 ...]: PhiU_ij = norms(ij) * shapes.col(ij). Zero where the
  /// derivative vanishes; its shape is then zero too.
  Eigen::VectorXd norms;
};

/// K PhiU_ij = -(H:Psi_j) Psi_i, all right-hand sides in one solve with one factor.
/// @param rest_stiffness factor_rest_stiffness(model)
ModalDerivatives modal_derivatives(const StvkModel& model,
                                   const SparseFactorization& rest_stiffness,
                                   const LinearModes& modes);

}  // namespace haptic
