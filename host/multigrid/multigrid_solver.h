#pragma once

#include <span>

#include "host/fem/linear_solver.h"
#include "host/multigrid/multigrid_cycle.h"

namespace haptic {

/// Conjugate gradients with a V-cycle of multigrid: time and memory grow linearly with the number
/// of cells, where those of a factor grow with its powers 2 and 4/3.
class MultigridSolver final : public PreconditionedOperator {
 public:
  /// @param row_of_node MultigridCycle
  /// @throws OperationError if A is not positive definite
  MultigridSolver(BlockRows<double> A, GridCells cells, std::span<const int> row_of_node);

  int size() const override { return static_cast<int>(3 * A_.rows()); }
  /// To a relative error of about kTolerance in the norm of A.
  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const override;

  bool is_exact() const override { return false; }
  Eigen::MatrixXd multiply(const Eigen::Ref<const Eigen::MatrixXd>& X) const override;
  /// One V-cycle.
  Eigen::MatrixXd precondition(const Eigen::Ref<const Eigen::MatrixXd>& R) const override;

  static constexpr double kTolerance = 1e-10;

 private:
  void solve(const Lanes<double>& B, Lanes<double>& X) const;

  BlockRows<double> A_;
  MultigridCycle cycle_;
};

}  // namespace haptic
