#include "host/reduction/rest_stiffness.h"

#include <fmt/format.h>

#include "host/multigrid/cell_stiffness.h"
#include "host/multigrid/grid_cells.h"
#include "host/multigrid/multigrid_solver.h"
#include "shared/error.h"

namespace haptic {
namespace {

void require_anchored(const StvkModel& model) {
  const int motions = model.free_rigid_motions();
  if (motions == 0) return;
  throw InputError("constraints", "",
                   fmt::format("found {} of 6 rigid motions free ({} fixed vertices)", motions,
                               model.fixed_vertices().size()),
                   "constraints on at least three vertices that are not collinear");
}

SparseFactorization factor(const SparseMatrix& K) {
  SparseFactorization::Options options;
  options.block = 3;
  options.name = "stiffness";
  return {K, options};
}

SparseMatrix shifted_matrix(const StvkModel& model, double shift) {
  SparseMatrix K = model.stiffness_at_rest();
  if (shift == 0.0) return K;
  K -= shift * model.mass();
  K.makeCompressed();
  return K;
}

class FactoredOperator final : public PreconditionedOperator {
 public:
  FactoredOperator(const SparseMatrix& K, SparseFactorization factor)
      : K_(K), factor_(std::move(factor)) {}

  int size() const override { return factor_.size(); }
  bool is_exact() const override { return true; }
  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const override {
    return factor_.solve(B);
  }
  Eigen::MatrixXd multiply(const Eigen::Ref<const Eigen::MatrixXd>& X) const override {
    return K_ * X;
  }
  Eigen::MatrixXd precondition(const Eigen::Ref<const Eigen::MatrixXd>& R) const override {
    return factor_.solve(R);
  }

 private:
  SparseMatrix K_;
  SparseFactorization factor_;
};

SparseFactorization checked_factor(const SparseMatrix& K) {
  SparseFactorization result = factor(K);
  // A singular matrix factors to pivots of rounding size; slender bodies stay above 1e-10.
  if (!(result.reciprocal_condition() > 1e-14)) {
    throw OperationError(fmt::format(
        "stiffness: singular (pivot ratio {:.1e}): a part of the mesh can move without strain",
        result.reciprocal_condition()));
  }
  return result;
}

}  // namespace

SparseFactorization factor_rest_stiffness(const StvkModel& model) {
  require_anchored(model);
  return checked_factor(model.stiffness_at_rest());
}

std::unique_ptr<PreconditionedOperator> rest_stiffness(const StvkModel& model, double shift,
                                                       int max_factored) {
  if (shift == 0.0) require_anchored(model);
  if (model.free_dof_count() > max_factored) {
    if (auto cells = grid_cells_of(model.mesh())) {
      std::vector<int> rows;
      for (int v = 0; v < model.vertex_count(); ++v) rows.push_back(model.free_index(v));
      auto matrix = shifted_stiffness(model, *cells, shift);
      return std::make_unique<MultigridSolver>(std::move(matrix), std::move(*cells), rows);
    }
  }
  const SparseMatrix K = shifted_matrix(model, shift);
  SparseFactorization made = shift == 0.0 ? checked_factor(K) : factor(K);
  return std::make_unique<FactoredOperator>(K, std::move(made));
}

}  // namespace haptic
