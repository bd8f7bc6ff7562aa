#pragma once

#include <Eigen/Core>

#include "host/fem/sparse_matrix.h"

namespace haptic {

/// Displacements of a free body without its rigid motion: of each column u, with x = X + u,
///   u' = R^T (x - c) - (X - C),
/// where C and c are the centres of mass of X and x, and the rotation R is the one of smallest
/// |x - c - R (X - C)|_M. u' is M-orthogonal to the six linear rigid motions. A body that turns
/// keeps its deformation; subtracting the linear rigid motions alone would leave X cos(angle) - X
/// in it, which is a shrinkage.
/// Source: Horn 1987, with M for the weights (docs/methods/reduced-dynamics.md, "Free bodies").
/// @param scalar_mass  M_s, v x v, M = M_s (x) I3
/// @param vertices     X, 3 x v [m]
/// @param columns      u, 3v x N [m], (x,y,z) per vertex
Eigen::MatrixXd without_rigid_motion(const SparseMatrix& scalar_mass,
                                     const Eigen::Ref<const Eigen::Matrix3Xd>& vertices,
                                     const Eigen::Ref<const Eigen::MatrixXd>& columns);

}  // namespace haptic
