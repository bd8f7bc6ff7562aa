#pragma once

#include <Eigen/Core>

#include "host/reduction/modal_derivatives.h"

namespace haptic {

/// The scaled columns of Barbic 2007, eq 2.52 (3n x (k + pairs)): (lambda_1/lambda_j) Psi_j,
/// then (lambda_1^2/(lambda_i lambda_j)) Phi_ij.
///
/// Where eigenvalues repeat, the modes of a cluster are known up to a rotation only, and normalised
/// derivatives of rotated modes span another weighted set. There, derivatives are normalised by the
/// root mean square norm over all ordered pairs of the two clusters instead, and an unordered pair
/// inside a cluster counts twice (weight sqrt 2). Their Gram matrix, so the basis, is then the same
/// for every rotation. Without repeated eigenvalues this is the published formula. Source:
/// docs/methods/reduced-dynamics.md, "Basis from modal derivatives".
Eigen::MatrixXd scaled_modal_columns(const LinearModes& modes, const ModalDerivatives& derivatives);

}  // namespace haptic
