#pragma once

#include <Eigen/Core>
#include <concepts>

#include "host/reduction/block_lanczos.h"

namespace haptic {

/// A x'' + B x' + C(x) = f near its rest x = 0, with A and K = dC/dx(0) symmetric positive definite
/// (Barbic 2007, section 2.8.5): the interface that modes and modal derivatives need. B is ignored.
/// Columns of the matrices are vectors of `size()` entries.
template <typename System>
concept SecondOrderSystem = requires(const System& system, const Eigen::MatrixXd& X, int pair) {
  { system.size() } -> std::convertible_to<int>;
  { system.multiply_mass(X) } -> std::convertible_to<Eigen::MatrixXd>;    // A X
  { system.solve_stiffness(X) } -> std::convertible_to<Eigen::MatrixXd>;  // K^-1 X
  /// (H_C : x_j) x_i for the pairs [begin, end) of i <= j of the columns of X, pairs in the order
  /// (0,0), (0,1), ..., (0,k-1), (1,1), ...; H_C is the second derivative of C at rest.
  { system.contract_hessian(X, pair, pair) } -> std::convertible_to<Eigen::MatrixXd>;
};

/// The k lowest modes of K x = lambda A x.
struct SystemModes {
  Eigen::VectorXd eigenvalues;  ///< ascending
  Eigen::MatrixXd shapes;       ///< A-orthonormal columns
  int solves = 0;               ///< number of right-hand sides solved
};

/// Block Lanczos on K^-1 A. @throws OperationError without convergence
template <SecondOrderSystem System>
SystemModes lowest_modes(const System& system, int k) {
  LanczosResult pairs = block_lanczos(
      system.size(), k, [&](const Eigen::MatrixXd& X) { return system.multiply_mass(X); },
      [&](const Eigen::MatrixXd& AX) { return system.solve_stiffness(AX); });
  return {pairs.values.cwiseInverse(), std::move(pairs.vectors), pairs.solves};
}

/// Un-normalised modal derivatives K Phi_ij = -(H_C : psi_j) psi_i for the pairs [begin, end):
/// the second-order terms of the static response to the load A Psi Lambda p.
template <SecondOrderSystem System>
Eigen::MatrixXd static_derivatives(const System& system, const Eigen::MatrixXd& shapes, int begin,
                                   int end) {
  return system.solve_stiffness(-system.contract_hessian(shapes, begin, end));
}

}  // namespace haptic
