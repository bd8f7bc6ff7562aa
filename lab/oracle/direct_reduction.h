#pragma once

#include <Eigen/Core>

#include "host/fem/stvk_model.h"

namespace haptic {

/// Reduced force and stiffness straight from the elements, R~ = U^T R(U q), K~ = U^T K(U q) U
/// (Krysl et al. 2001; Barbic 2007, eq 2.23, 2.25): any r, cost about m r^2 instead of r^4:
/// the exact reference of the polynomials.
struct DirectEvaluation {
  Eigen::VectorXd force;      ///< r [N kg^-1/2]
  Eigen::MatrixXd stiffness;  ///< r x r [s^-2]
};

/// @param basis U, 3n x r, rows of fixed vertices zero [kg^-1/2]
/// @param q     r values
Eigen::VectorXd direct_reduced_force(const StvkModel& model,
                                     const Eigen::Ref<const Eigen::MatrixXd>& basis,
                                     const Eigen::Ref<const Eigen::VectorXd>& q);
/// Both in one pass over the elements, in parallel; the same bits for every number of threads.
DirectEvaluation direct_reduced_force_and_stiffness(const StvkModel& model,
                                                    const Eigen::Ref<const Eigen::MatrixXd>& basis,
                                                    const Eigen::Ref<const Eigen::VectorXd>& q);

}  // namespace haptic
