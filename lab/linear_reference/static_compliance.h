#pragma once

#include <Eigen/Core>

namespace haptic::lab {

/// C2 = C - U1 Lambda1^-1 U1^T: the compliance that the modes leave to statics. Symmetric, positive
/// semidefinite; of the whole mesh, U1^T M C2 = 0. Of condensed rows it is the block of the whole
/// one. Source: docs/methods/condensation.md, "Static part"; Sedaghat 2011, section 3.3.1, in the
/// exact form.
/// @param C       n x n [m/N]
/// @param U1      n x m, mass-normalised modes [kg^-1/2]
/// @param lambda1 m eigenvalues [s^-2]
Eigen::MatrixXd static_compliance(const Eigen::MatrixXd& C, const Eigen::MatrixXd& U1,
                                  const Eigen::VectorXd& lambda1);

/// C U2 U2^T as printed, with U2 an orthonormal basis of the Euclidean null space of U1^T (Sedaghat
/// 2011, eq 3.18): equal to static_compliance() only where M is a multiple of I and no row was
/// dropped. Elsewhere it is not symmetric and C1 + C2 differs from C. For comparisons alone.
Eigen::MatrixXd printed_static_compliance(const Eigen::MatrixXd& C, const Eigen::MatrixXd& U1);

}  // namespace haptic::lab
