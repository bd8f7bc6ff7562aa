#pragma once

#include <Eigen/Core>

#include "host/reduction/linear_modes.h"
#include "host/reduction/modal_pairs.h"

namespace haptic {

/// Modal derivatives, mass-normalised.
struct ModalDerivatives {
  Eigen::MatrixXd shapes;  ///< 3n x pairs, mass-normalised Phi_ij [kg^-1/2]
  /// |PhiU_ij|_M [m^-1 kg^-1/2 ...]: PhiU_ij = norms(ij) * shapes.col(ij). Zero where the
  /// derivative vanishes; its shape is then zero too.
  Eigen::VectorXd norms;
  /// Anchored bodies have PhiU_ij = PhiU_ji and the pairs i <= j in the order of modal_pair_index;
  /// those of free bodies differ (free_derivatives.h): all ordered pairs, column i k + j.
  bool ordered = false;

  Eigen::Index column(int i, int j, int k) const {
    return ordered ? i * k + j : modal_pair_index(std::min(i, j), std::max(i, j), k);
  }
};

/// Derivatives of an anchored body for all pairs i <= j: K PhiU_ij = -(H:Psi_j) Psi_i, by blocks of
/// pairs. Source: docs/methods/reduced-dynamics.md, "Modal derivatives"; Barbic 2007, eq 2.47.
/// @param rest_stiffness rest_stiffness(model), or factor_rest_stiffness(model)
ModalDerivatives modal_derivatives(const StvkModel& model, const LinearSolver& rest_stiffness,
                                   const LinearModes& modes);

/// Pairs per block; blocks are independent, and their bits do not depend on the process.
inline constexpr int kDerivativeBlock = 16;

/// Number of blocks of k modes.
constexpr int modal_derivative_blocks(int k) {
  return (modal_pair_count(k) + kDerivativeBlock - 1) / kDerivativeBlock;
}

/// One block, un-normalised on the free dofs: 3 n_free x (at most kDerivativeBlock).
Eigen::MatrixXd modal_derivative_block(const StvkModel& model, const LinearSolver& rest_stiffness,
                                       const LinearModes& modes, int block);

/// Normalises raw derivatives (3 n_free x pairs of k modes, in the order of ModalDerivatives).
ModalDerivatives normalised_derivatives(const StvkModel& model, Eigen::MatrixXd raw, int k,
                                        bool ordered = false);

}  // namespace haptic
