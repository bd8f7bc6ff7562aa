#include "rt/worlds/condensed/constraint_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>
#include <vector>

#include "tests/rt/worlds/condensed/condensed_block.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

SymmetricView view_of(const RowMajor& S) {
  return {S.data(), std::size_t(S.rows()), std::size_t(S.rows())};
}

Eigen::VectorXd solve(ConstraintSolver& solver, const Eigen::VectorXd& b) {
  Eigen::VectorXd x(b.size());
  solver.solve({b.data(), std::size_t(b.size())}, {x.data(), std::size_t(x.size())});
  return x;
}

RowMajor random_semidefinite(int n, int rank) {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(n, rank);
  const RowMajor S = half * half.transpose();
  return 0.5 * (S + S.transpose());
}

/// Against the pseudo-inverse by eigenvectors. The tolerance grows with the condition of the
/// non-zero part, at most 1e5 for these matrices.
TEST(ConstraintSolver, least_norm_solution_of_every_rank) {
  for (int n = 1; n <= 19; ++n) {
    for (int rank = 0; rank <= n; ++rank) {
      srand(unsigned(100 * n + rank));
      const RowMajor S = random_semidefinite(n, rank);
      ConstraintSolver solver(24);
      ASSERT_EQ(solver.factorise(view_of(S), 1.0), std::size_t(rank)) << n;
      EXPECT_FALSE(solver.indefinite());
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
      Eigen::VectorXd inverse = Eigen::VectorXd::Zero(n);
      for (int i = n - rank; i < n; ++i) inverse[i] = 1.0 / eigen.eigenvalues()[i];
      for (int trial = 0; trial < 2; ++trial) {
        // Demands that agree, then any demands: the least-squares compromise.
        const Eigen::VectorXd any = Eigen::VectorXd::Random(n), b = trial == 0 ? S * any : any;
        const Eigen::VectorXd expected =
            eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose() * b;
        const double condition = rank == 0 ? 1.0 : eigen.eigenvalues()[n - 1] * inverse[n - rank];
        EXPECT_LE((solve(solver, b) - expected).norm(),
                  1e-14 * n * condition * expected.norm() + 1e-300)
            << n << ' ' << rank;
      }
    }
  }
}

TEST(ConstraintSolver, pivots_below_the_tolerance_of_the_scale_are_zero) {
  RowMajor S = RowMajor::Zero(3, 3);
  S.diagonal() << 1.0, 2e-10, 0.5e-10;
  ConstraintSolver solver(3);
  EXPECT_EQ(solver.factorise(view_of(S), 1.0), 2u);
  EXPECT_EQ(solver.factorise(view_of(S), 0.25), 3u);
  ConstraintSolver coarse(3, 1e-3);
  EXPECT_EQ(coarse.factorise(view_of(S), 1.0), 1u);
  const Eigen::VectorXd x = solve(coarse, Eigen::Vector3d(2.0, 1.0, 1.0));
  EXPECT_EQ(x, Eigen::Vector3d(2.0, 0.0, 0.0));
}

TEST(ConstraintSolver, says_what_is_indefinite_or_not_a_number) {
  RowMajor S = RowMajor::Identity(3, 3);
  ConstraintSolver solver(3);
  S(2, 2) = -1e-9;
  EXPECT_EQ(solver.factorise(view_of(S), 1.0), 2u);
  EXPECT_TRUE(solver.indefinite());
  S(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver.factorise(view_of(S), 1.0), 2u);
  EXPECT_TRUE(solver.indefinite());
  S << 1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0;
  solver.factorise(view_of(S), 1.0);
  EXPECT_TRUE(solver.indefinite());
}

TEST(ConstraintSolver, residual_is_the_largest_component) {
  RowMajor S = RowMajor::Identity(3, 3);
  const std::vector<double> b{1.0, 2.0, 3.0}, x{1.0, 2.5, 2.75};
  EXPECT_EQ(largest_residual(view_of(S), b, x), 0.5);
}

TEST(ConstraintSolver, never_allocates) {
  // 150 unknowns: Eigen's blocked algorithms would take memory.
  const RowMajor full = random_semidefinite(150, 150), redundant = random_semidefinite(150, 90);
  Eigen::VectorXd b = Eigen::VectorXd::Random(150);
  ConstraintSolver solver(150);
  const std::span<double> x(b.data(), 150);
  const NoAllocation guard;
  for (const RowMajor* S : {&full, &redundant}) {
    solver.factorise(view_of(*S), 1.0);
    solver.solve(x, x);
  }
}

/// Statics of contacts on the block, by S = H C H^T.
class StaticContacts : public testing::Test {
 protected:
  ContactRow at(double x, double y, double z) const {
    return row_of_vertex(model_, block_.vertex_at(x, y, z));
  }
  /// Forces that hold the contacts at u*.
  Eigen::VectorXd hold(const std::vector<ContactRow>& rows, const Eigen::VectorXd& target) {
    const Eigen::MatrixXd H = block_.H(rows);
    S_ = H * block_.C * H.transpose();
    ConstraintSolver solver(std::size_t(S_.rows()));
    rank_ = solver.factorise(view_of(S_), S_.diagonal().maxCoeff());
    return solve(solver, target);
  }
  Eigen::VectorXd shape(const std::vector<ContactRow>& rows, const Eigen::VectorXd& f) const {
    return block_.C * (block_.H(rows).transpose() * f);
  }

  CondensedBlock block_;
  CondensedModel model_ = block_.model();
  RowMajor S_;
  std::size_t rank_ = 0;
};

/// H u = u* to 1e-10 of it.
TEST_F(StaticContacts, a_point_contact_is_held) {
  const std::vector<ContactRow> rows{at(0.0125, 0.0375, 0.1)};
  const Eigen::Vector3d target(0.001, -0.002, -0.005);
  const Eigen::VectorXd f = hold(rows, target);
  EXPECT_LT((block_.H(rows) * shape(rows, f) - target).norm(), 1e-10 * target.norm());
  const Eigen::VectorXd nodal = block_.H(rows).transpose() * f;
  int loaded = 0;
  for (int i = 0; i < nodal.size(); i += 3) loaded += nodal.segment<3>(i).norm() > 0.0;
  EXPECT_EQ(loaded, 4);  // the nodes of the quadrilateral
}

/// Two contacts at once satisfy both demands; the sum of two single solutions misses both, by a
/// tenth and a twentieth of the demands at least.
TEST_F(StaticContacts, several_contacts_are_not_the_sum_of_single_ones) {
  const std::vector<ContactRow> rows{at(0.025, 0.05, 0.1), at(0.05, 0.05, 0.1)};
  Eigen::VectorXd target(6);
  target << 0.0, 0.0, -0.004, 0.001, 0.0, -0.006;
  const Eigen::VectorXd f = hold(rows, target), u = shape(rows, f);
  EXPECT_LT((block_.H(rows) * u - target).norm(), 1e-10 * target.norm());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(block_.dof());
  for (std::size_t i = 0; i < 2; ++i) {
    sum += shape({rows[i]}, hold({rows[i]}, target.segment<3>(3 * Eigen::Index(i))));
  }
  const Eigen::VectorXd missed = block_.H(rows) * sum - target;
  EXPECT_GT(missed.head(3).norm(), 0.1 * target.norm());
  EXPECT_GT(missed.tail(3).norm(), 0.05 * target.norm());
}

/// One contact twice, and one that shares two of the others' nodes as beta tends to zero: nodal
/// force, shape and total force are those of the contacts without the redundant one, 1e-9.
TEST_F(StaticContacts, redundant_contacts) {
  const ContactRow first = at(0.025, 0.05, 0.1);
  const ContactRow second = at(0.05, 0.05, 0.1);
  Eigen::VectorXd target(6);
  target << 0.0, 0.001, -0.004, 0.001, 0.0, -0.006;
  const Eigen::VectorXd f = hold({first, second}, target), u = shape({first, second}, f);
  ASSERT_EQ(rank_, 6u);
  for (const double beta : {0.0, 0.3, 1e-12}) {
    // On the edge between both; its demand agrees with theirs.
    ContactRow between = first;
    between.count = 2;
    between.nodes[1] = second.nodes[0];
    between.weights[0] = beta;
    between.weights[1] = 1.0 - beta;
    ASSERT_EQ(first.count, 1u);
    Eigen::VectorXd three(9);
    three << target, beta * target.head(3) + (1.0 - beta) * target.tail(3);
    const std::vector<ContactRow> rows{first, second, between};
    const Eigen::VectorXd forces = hold(rows, three);
    EXPECT_EQ(rank_, 6u) << beta;
    const Eigen::VectorXd nodal = block_.H(rows).transpose() * forces,
                          expected = block_.H({first, second}).transpose() * f;
    EXPECT_LT((nodal - expected).norm(), 1e-9 * expected.norm());
    EXPECT_LT((shape(rows, forces) - u).norm(), 1e-9 * u.norm());
    const Eigen::Vector3d total = f.head(3) + f.tail(3);
    EXPECT_LT((forces.head(3) + forces.segment<3>(3) + forces.tail(3) - total).norm(),
              1e-9 * total.norm());
    // Least norm: no other split of the forces is shorter.
    EXPECT_LT(forces.norm(), f.norm());
    EXPECT_LT(largest_residual(view_of(S_), {three.data(), 9}, {forces.data(), 9}),
              1e-10 * three.norm());
  }
}

/// Two demands on one point: each is missed by half of their difference.
TEST_F(StaticContacts, contradicting_demands_get_the_compromise) {
  const ContactRow row = at(0.05, 0.05, 0.1);
  Eigen::VectorXd target(6);
  target << 0.0, 0.0, -0.004, 0.0, 0.0, -0.006;
  const Eigen::VectorXd f = hold({row, row}, target);
  EXPECT_NEAR(shape({row, row}, f).transpose() * block_.H({row}).row(2).transpose(), -0.005, 1e-12);
  EXPECT_NEAR(largest_residual(view_of(S_), {target.data(), 6}, {f.data(), 6}), 0.001, 1e-12);
}

/// The same rounding for twice the numbers: not 1e-12 but equal.
TEST_F(StaticContacts, linearity) {
  const std::vector<ContactRow> rows{at(0.025, 0.05, 0.1), at(0.05, 0.05, 0.1)};
  const Eigen::VectorXd target = Eigen::VectorXd::Random(6);
  const Eigen::VectorXd f = hold(rows, target), twice = hold(rows, 2.0 * target);
  EXPECT_EQ(twice, Eigen::VectorXd(2.0 * f));
}

}  // namespace
}  // namespace haptic::condensed
