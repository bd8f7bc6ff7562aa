#pragma once

#include <Eigen/Core>

#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_derivatives.h"

namespace haptic {

/// The scaled columns of spec reduced-dynamics 2.13 (3n x k + k(k+1)/2):
/// (lambda_1/lambda_j) Psi_j, then (lambda_1^2/(lambda_i lambda_j)) Phi_ij for i <= j.
Eigen::MatrixXd scaled_modal_columns(const LinearModes& modes, const ModalDerivatives& derivatives);

/// Basis from modes and modal derivatives by mass-PCA; `basis` is full, 3n x r', zero at fixed
/// vertices. The rank may be short of `dimension`; the caller decides whether that is an error.
MassPca modal_derivative_basis(const StvkModel& model, const LinearModes& modes,
                               const ModalDerivatives& derivatives, int dimension,
                               MassKind mass = MassKind::kConsistent);

}  // namespace haptic
