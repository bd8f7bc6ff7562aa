#pragma once

#include <Eigen/Core>
#include <functional>

namespace haptic {

using LinearMap = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

struct ConjugateGradientResult {
  Eigen::VectorXd x;
  int iterations = 0;
  double residual = 0.0;  ///< |b - A x| / |b|
  /// A direction of negative curvature was met; x is the iterate before it (the preconditioned
  /// right-hand side if it was the first), still a descent direction of 1/2 x.A x - b.x.
  bool indefinite = false;
};

/// Preconditioned conjugate gradients for A x = b from x = 0, A symmetric.
/// @param multiply     x -> A x
/// @param precondition r -> B r, B symmetric positive definite
/// @param tolerance    of |b - A x| relative to |b|
/// @throws OperationError if `max_iterations` do not reach the tolerance
ConjugateGradientResult conjugate_gradients(const LinearMap& multiply,
                                            const LinearMap& precondition,
                                            const Eigen::Ref<const Eigen::VectorXd>& b,
                                            double tolerance, int max_iterations);

}  // namespace haptic
