#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>

#include "host/reduction/modal_basis.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/vector_views.h"

namespace haptic {

/// Modes and modal derivatives of an anchored body, computed once for bases of any r.
struct ModalData {
  /// @param k linear modes
  ModalData(const StvkModel& model, int k);

  LinearModes modes;
  ModalDerivatives derivatives;
};

/// The k lowest modes of `data` alone.
Eigen::MatrixXd linear_basis(const ModalData& data, int k);
/// Mass-PCA of the first k modes and their derivatives (Barbic 2007, eq 2.52).
/// @throws InputError if their rank is below r
Eigen::MatrixXd derivative_basis(const StvkModel& model, const ModalData& data, int k, int r);
/// Mass-PCA of any displacements (3n x N): re-simulation, sketch. @throws InputError as above
Eigen::MatrixXd shape_basis(const StvkModel& model, const Eigen::MatrixXd& shapes, int r);
/// All modes and derivatives, mass-orthonormalised without PCA: r = k + k (k + 1) / 2.
Eigen::MatrixXd full_derivative_basis(const StvkModel& model, const ModalData& data);

/// The energy of a body in the subspace of U (3n x r, r <= 64) as its polynomials.
ReducedEnergy reduced_energy(const StvkModel& model, const Eigen::MatrixXd& basis);

}  // namespace haptic
