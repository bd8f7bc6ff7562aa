#pragma once

#include <Eigen/Core>

#include "host/fem/linear_solver.h"
#include "host/fem/stvk_model.h"

namespace haptic {

/// A StVK body at rest as a SecondOrderSystem on its free dofs, K shifted to K - shift M.
class StvkRestSystem {
 public:
  /// @param model  outlives it
  /// @param solver of K - shift M, outlives it
  StvkRestSystem(const StvkModel& model, const LinearSolver& solver);

  int size() const { return model_.free_dof_count(); }
  Eigen::MatrixXd multiply_mass(const Eigen::MatrixXd& X) const;
  Eigen::MatrixXd solve_stiffness(const Eigen::MatrixXd& X) const { return solver_.solve(X); }
  Eigen::MatrixXd contract_hessian(const Eigen::MatrixXd& X, int begin, int end) const;

 private:
  const StvkModel& model_;
  const LinearSolver& solver_;
  SparseMatrix scalar_mass_;
};

}  // namespace haptic
