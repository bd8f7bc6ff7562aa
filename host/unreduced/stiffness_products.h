#pragma once

#include <Eigen/Core>

#include "host/fem/stvk_model.h"

namespace haptic {

/// K(u) p (3n) without K.
Eigen::VectorXd stiffness_product(const StvkModel& model, const Eigen::VectorXd& u,
                                  const Eigen::VectorXd& p);
/// Diagonal 3x3 blocks of K(u) on the free vertices, 3 x 3 n_free.
Eigen::MatrixXd stiffness_blocks(const StvkModel& model, const Eigen::VectorXd& u);

}  // namespace haptic
