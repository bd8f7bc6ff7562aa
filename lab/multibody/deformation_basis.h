#pragma once

#include <Eigen/Core>

#include "host/fem/stvk_model.h"
#include "host/mesh/rigid_body.h"

namespace haptic {

/// Basis of a free body's deformation: elastic modes and all their derivatives, weighted with the
/// lowest elastic eigenvalue as reference, mass-PCA (docs/methods/reduced-dynamics.md, "Free
/// bodies"), with the parts along the six rigid modes taken out of the derivatives. The deformation
/// then has neither linear momentum nor, about the rest shape, angular momentum: all momentum is in
/// the rigid state, which is integrated separately.
/// @param model without fixed vertices
/// @param k elastic modes  @param r basis vectors
/// @returns 3n x r, mass-orthonormal
/// @throws InputError if the body is not free or the rank is below r
Eigen::MatrixXd deformation_basis(const StvkModel& model, int k, int r);

/// Mass, centre and inertia of the simulation mesh by its consistent mass matrix, which is exact
/// for them.
RigidProperties rigid_properties(const StvkModel& model);

}  // namespace haptic
