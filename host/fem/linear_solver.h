#pragma once

#include <Eigen/Core>

namespace haptic {

/// Solves A X = B for one symmetric positive definite matrix A. Any number of threads may call it.
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;

  virtual int size() const = 0;
  /// A^-1 B, column per right-hand side. @throws OperationError without convergence or memory
  virtual Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const = 0;

 protected:
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = default;
  LinearSolver& operator=(const LinearSolver&) = default;
};

/// A solver that can also multiply by A and apply a preconditioner, for iterations on A or on a
/// matrix close to it.
class PreconditionedOperator : public LinearSolver {
 public:
  virtual bool is_exact() const = 0;  ///< precondition() gives the exact inverse
  /// A X, column per vector.
  virtual Eigen::MatrixXd multiply(const Eigen::Ref<const Eigen::MatrixXd>& X) const = 0;
  /// About A^-1 R: a linear map that is symmetric and positive definite up to rounding in single
  /// precision.
  virtual Eigen::MatrixXd precondition(const Eigen::Ref<const Eigen::MatrixXd>& R) const = 0;
};

}  // namespace haptic
