#pragma once

#include <Eigen/Core>

#include "lab/linear_reference/linear_body.h"
#include "lab/linear_reference/small_system.h"

namespace haptic::lab {

/// Displacements and forces of contacts.
struct ContactSolution {
  Eigen::VectorXd contact_force;  ///< f*, c, on the object [N]
  Eigen::VectorXd displacement;   ///< u, n [m]
};

/// "Full statics": u of least energy with H u = u*, by sparse solves with K:
///   f* = (H K^-1 H^T)^-1 u*,  u = K^-1 H^T f*.
/// Source: Sedaghat 2011, section 3.1.
/// @param rows   H, c x n
/// @param target u*, c [m]
ContactSolution solve_full_statics(const LinearBody& body, const ContactRows& rows,
                                   const Eigen::VectorXd& target);

/// The same with a compliance that is given: a condensed one, or the static part C2.
/// @param C n x n, symmetric [m/N]
ContactSolution solve_statics(const Eigen::MatrixXd& C, const ContactRows& rows,
                              const Eigen::VectorXd& target);

}  // namespace haptic::lab
