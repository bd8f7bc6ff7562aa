#include "host/multigrid/multigrid_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/multigrid/cell_stiffness.h"
#include "shared/error.h"
#include "tests/host/multigrid/cut_bar.h"

namespace haptic {
namespace {

MultigridSolver solver_of(const StvkModel& model, double shift = 0.0) {
  const GridCells cells = *grid_cells_of(model.mesh());
  return {shifted_stiffness(model, cells, shift), cells, rows_of(model)};
}

double energy_norm(const SparseMatrix& A, const Eigen::VectorXd& x) {
  return std::sqrt(x.dot(A * x));
}

TEST(MultigridSolver, agrees_with_a_factor) {
  for (const double nu : {0.0, 0.3, 0.45, 0.49}) {
    const StvkModel model = cut_bar(30, 7, 5, nu);
    const SparseMatrix A = model.stiffness_at_rest();
    // Eleven: more than one group of vectors, the last one in part empty.
    const Eigen::MatrixXd B = Eigen::MatrixXd::Random(A.rows(), 11);
    const Eigen::MatrixXd X = solver_of(model).solve(B), exact = SparseFactorization(A).solve(B);
    for (Eigen::Index c = 0; c < B.cols(); ++c) {
      EXPECT_LE(energy_norm(A, X.col(c) - exact.col(c)),
                10.0 * MultigridSolver::kTolerance * energy_norm(A, exact.col(c)))
          << nu;
    }
  }
}

TEST(MultigridSolver, solves_loads_of_every_size) {
  const StvkModel model = cut_bar(20, 6, 5, 0.3);
  const MultigridSolver solver = solver_of(model);
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(model.free_dof_count(), 4);
  B.col(0).setRandom();
  B.col(1) = 1e-60 * B.col(0);  // beyond single precision
  B.col(2) = 1e60 * B.col(0);   // and no load at all
  const Eigen::MatrixXd X = solver.solve(B);
  EXPECT_LE((X.col(1) - 1e-60 * X.col(0)).norm(), 1e-9 * X.col(1).norm());
  EXPECT_LE((X.col(2) - 1e60 * X.col(0)).norm(), 1e-9 * X.col(2).norm());
  EXPECT_EQ(X.col(3).norm(), 0.0);
  B(7, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(solver.solve(B), OperationError);
}

/// Iterations of plain conjugate gradients to 1e-8, as the solver's.
int iterations(const StvkModel& model) {
  const MultigridSolver solver = solver_of(model);
  Eigen::VectorXd r = Eigen::VectorXd::Random(model.free_dof_count());
  Eigen::VectorXd z = solver.precondition(r), p = z;
  const double first = r.dot(z);
  double rho = first;
  int count = 0;
  for (; rho > 1e-16 * first && count < 200; ++count) {
    const Eigen::VectorXd image = solver.multiply(p);
    const double length = rho / p.dot(image);
    r -= length * image;
    z = solver.precondition(r);
    const double along = -length * image.dot(z);
    p = z + (along / rho) * p;
    rho = r.dot(z);
  }
  return count;
}

TEST(MultigridSolver, iterations_do_not_grow_with_the_body) {
  // 16 times as many cells, two levels more.
  const int small = iterations(cut_bar(16, 8, 4, 0.3)),
            large = iterations(cut_bar(40, 20, 10, 0.3));
  EXPECT_GE(small, 5);  // the count counts
  EXPECT_LE(large, small + 8);
  EXPECT_LE(large, 35);
}

TEST(MultigridSolver, multiplies_by_its_matrix) {
  const StvkModel model = cut_bar(12, 6, 5, 0.3, false);
  const SparseMatrix A = model.stiffness_at_rest() + 1e4 * model.mass();
  const Eigen::MatrixXd X = Eigen::MatrixXd::Random(A.rows(), 9), exact = A * X;
  EXPECT_LE((solver_of(model, -1e4).multiply(X) - exact).norm(), 1e-13 * exact.norm());
}

TEST(MultigridSolver, irregular_held_places_leave_no_singular_level) {
  const StvkModel bar = cut_bar(14, 6, 6, 0.3);
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < bar.vertex_count(); ++v) {
    if (std::sin(12.9 * v) > 0.6 || bar.mesh().vertex(v).x() < 0.001) {
      fixed.push_back(static_cast<std::uint32_t>(v));
    }
  }
  const StvkModel model(bar.mesh(), fixed);
  const SparseMatrix A = model.stiffness_at_rest();
  const Eigen::VectorXd b = Eigen::VectorXd::Random(A.rows());
  const Eigen::VectorXd x = solver_of(model).solve(b), exact = SparseFactorization(A).solve(b);
  EXPECT_LE(energy_norm(A, x - exact), 1e-9 * energy_norm(A, exact));
}

}  // namespace
}  // namespace haptic
