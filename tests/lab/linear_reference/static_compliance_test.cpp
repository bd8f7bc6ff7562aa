#include "lab/linear_reference/static_compliance.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <vector>

#include "host/condensation/condensed_nodes.h"
#include "tests/lab/linear_reference/poked_block.h"

namespace haptic::lab {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double relative(const MatrixXd& difference, const MatrixXd& of) {
  return difference.norm() / of.norm();
}

double asymmetry(const MatrixXd& A) {
  return relative(A - A.transpose(), A);
}

TEST(StaticCompliance, the_printed_form_is_wrong_unless_mass_is_uniform_and_no_row_dropped) {
  const LinearBody body = poked_block();
  const MatrixXd C = body.factor.solve(MatrixXd::Identity(body.size(), body.size()));
  // Mass of the grid, all rows: the modes are those of the body.
  const FreeModes modes(body, 10);
  const MatrixXd exact = static_compliance(C, modes.shapes, modes.eigenvalues);
  const MatrixXd printed = printed_static_compliance(C, modes.shapes);
  EXPECT_LT(asymmetry(exact), 1e-12);
  EXPECT_GT(asymmetry(printed), 0.01);
  EXPECT_GT(relative(printed - exact, exact), 0.01);
  // Uniform mass, all rows: eigenvectors of K are orthonormal, and both forms agree.
  const Eigen::SelfAdjointEigenSolver<MatrixXd> uniform{MatrixXd(body.K)};
  const MatrixXd U = uniform.eigenvectors().leftCols(10);
  const VectorXd lambda = uniform.eigenvalues().head(10);
  const MatrixXd same = static_compliance(C, U, lambda);
  EXPECT_LT(relative(printed_static_compliance(C, U) - same, same), 1e-9);
  // Uniform mass, rows of inner nodes dropped (here: the one node with no boundary element).
  const std::vector<int> rows = free_dofs_of(body.model, condensed_nodes(body.model, {}));
  ASSERT_LT(rows.size(), static_cast<std::size_t>(body.size()));
  const MatrixXd Cs = C(rows, rows), Us = U(rows, Eigen::all);
  const MatrixXd block = static_compliance(Cs, Us, lambda);
  EXPECT_LT(relative(block - MatrixXd(same(rows, rows)), block), 1e-9);
  EXPECT_GT(relative(printed_static_compliance(Cs, Us) - block, block), 1e-4);
}

}  // namespace
}  // namespace haptic::lab
