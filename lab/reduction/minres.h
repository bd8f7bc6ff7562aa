#pragma once

#include <Eigen/Core>
#include <functional>

namespace haptic::lab {

struct MinresResult {
  Eigen::VectorXd x;
  int iterations = 0;
  double residual = 0.0;  ///< |b - A x| / |b|, recomputed
};

/// MINRES (Paige and Saunders 1975) for A x = b, A symmetric, also indefinite or singular with b in
/// its range; it only needs products with A.
/// @param multiply    x -> A x
/// @param diagonal    positive diagonal of the preconditioner, one per entry
/// @param tolerance   of the preconditioned residual relative to that at the start
/// @throws OperationError if `max_iterations` do not reach it
MinresResult minres(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& multiply,
                    const Eigen::Ref<const Eigen::VectorXd>& diagonal,
                    const Eigen::Ref<const Eigen::VectorXd>& b, double tolerance,
                    int max_iterations);

}  // namespace haptic::lab
