#pragma once

#include <Eigen/Core>
#include <memory>

#include "host/fem/stvk_model.h"
#include "host/reduction/linear_modes.h"

namespace haptic {

/// Modal derivatives of a free body (docs/methods/reduced-dynamics.md, "Free bodies"):
///   (K - lambda_i M) PhiU_ij = (M Psi_c Psi_c^T - I) (H:Psi_j) Psi_i,   Psi_c^T M PhiU_ij = 0,
/// where Psi_c is the whole cluster of eigenvalues equal to lambda_i: for a repeated eigenvalue the
/// published single Psi_i leaves it unsolvable. Rigid modes never enter as Psi_i or Psi_j, but
/// PhiU_ij has the parts along them that the equation asks for (the mode turns with the body).
///
/// The solve splits off every known mode, where the operator is a number, lambda_m - lambda_i. On
/// their M-complement all eigenvalues exceed lambda_i, so the operator is positive definite there,
/// and conjugate gradients converge in some ten iterations with the factor of K + lambda_first M as
/// preconditioner, in some forty with multigrid.
class FreeDerivatives {
 public:
  /// @param modes  free_linear_modes: six rigid modes, the k elastic ones that take part, and all
  ///               others known (the rest of a cut cluster at least); outlives it
  /// @param first, count  the elastic modes that take part
  /// @param max_factored  rest_stiffness
  /// @throws InputError if the range does not fit or cuts off known copies of its last eigenvalue
  FreeDerivatives(const StvkModel& model, const LinearModes& modes, int first, int count,
                  int max_factored = kMaxFactoredDofs);
  ~FreeDerivatives();

  int count() const;
  /// PhiU_ij for all j of one i (0..count-1), un-normalised: 3n x count. Independent of all others.
  Eigen::MatrixXd solve(int i) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace haptic
