#include "rt/worlds/condensed/stick_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double solve(StickSolver& solver, const RowMajor& S, const Eigen::VectorXd& b,
             const Eigen::VectorXd& normals, Eigen::VectorXd& lambda) {
  const auto size = std::size_t(b.size());
  const NoAllocation guard;
  return solver.solve({S.data(), size, size}, {b.data(), size}, {normals.data(), size},
                      {lambda.data(), size});
}

// The diagonal of the pressures is 1e-12 larger, hence 1e-14 m of demands of millimetres.
// Pushed along -y. Tangential force shifts the point along y as well, by 0.6 of S.
TEST(StickSolver, one_contact_holds_presses_alone_or_is_open) {
  RowMajor S = 0.01 * RowMajor::Identity(3, 3);
  S(0, 1) = S(1, 0) = 0.006;
  Eigen::VectorXd normals(3), b(3), lambda = Eigen::VectorXd::Zero(3);
  normals << 0.0, 1.0, 0.0;
  StickSolver solver(1);
  // Holds: the full system.
  b << 1e-3, -2e-3, 5e-4;
  EXPECT_LT(solve(solver, S, b, normals, lambda), 1e-14);
  EXPECT_LT((S * lambda - b).norm(), 1e-14);
  EXPECT_EQ(solver.held_directions(), 2U);
  EXPECT_LT(solver.slip(0), 1e-15);
  // To hold it would have to pull: (b_y - 0.6 b_x) / 0.0064 > 0. It presses with -b_y / S, and lets
  // the tool slip by what that leaves.
  b << -4e-3, -2e-3, 0.0;
  EXPECT_LT(solve(solver, S, b, normals, lambda), 1e-14);
  EXPECT_LT((lambda - Eigen::Vector3d(0.0, -0.2, 0.0)).norm(), 1e-12);
  EXPECT_EQ(solver.held_directions(), 0U);
  EXPECT_NEAR(solver.slip(0), 4e-3 - 0.006 * 0.2, 1e-12);
  // The tool leaves.
  b << 1e-3, 2e-3, 0.0;
  EXPECT_LT(solve(solver, S, b, normals, lambda), 1e-14);
  EXPECT_EQ(lambda.norm(), 0.0);
  EXPECT_EQ(solver.slip(0), 0.0);
}

// Two contacts in one place with contradicting demands: the first one holds, the second slips by
// the difference; the pressure is that of the deeper one.
TEST(StickSolver, of_two_contacts_in_one_place_the_first_holds) {
  RowMajor S(6, 6);
  S << 0.01 * RowMajor::Identity(3, 3), 0.01 * RowMajor::Identity(3, 3),
      0.01 * RowMajor::Identity(3, 3), 0.01 * RowMajor::Identity(3, 3);
  Eigen::VectorXd normals(6), b(6), lambda = Eigen::VectorXd::Zero(6);
  normals << 0.0, 1.0, 0.0, 0.0, 1.0, 0.0;
  b << 1e-3, -2e-3, 0.0, 3e-3, -2e-3, 0.0;
  StickSolver solver(2);
  EXPECT_LT(solve(solver, S, b, normals, lambda), 1e-12);
  EXPECT_NEAR(lambda[1] + lambda[4], -0.2, 1e-9);
  EXPECT_NEAR(lambda[0] + lambda[3], 0.1, 1e-9);
}

// Random bodies of up to 40 contacts: pressures and gaps complement each other, a contact without
// pressure has no force, and what does not hold slips, as told by slip().
TEST(StickSolver, random_sets_satisfy_the_law) {
  std::mt19937 engine(11);
  std::normal_distribution<double> normal;
  int open = 0, slipping = 0, holding = 0;
  for (int run = 0; run < 200; ++run) {
    const int count = 1 + run % 40, rows = 3 * count;
    // Of half of them, the compliance has a third of the rank that contacts ask for.
    const int rank = run % 2 == 0 ? rows : std::max(3, rows / 3);
    const RowMajor A = RowMajor::NullaryExpr(rows, rank, [&] { return normal(engine); });
    const RowMajor S = 1e-3 * A * A.transpose() / rank;
    Eigen::VectorXd normals(rows), lambda(rows);
    for (int i = 0; i < count; ++i) {
      normals.segment<3>(3 * i) = (Eigen::Vector3d::UnitY() +
                                   0.2 * Eigen::Vector3d::NullaryExpr([&] {
                                     return normal(engine);
                                   })).normalized();
    }
    // Demands that some forces meet, so that pressures alone cannot contradict each other.
    const Eigen::VectorXd wanted =
        Eigen::VectorXd::NullaryExpr(rows, [&] { return normal(engine); });
    const Eigen::VectorXd b = S * wanted;
    lambda.setZero();
    StickSolver solver(static_cast<std::size_t>(count));
    const double residual = solve(solver, S, b, normals, lambda);
    EXPECT_LT(residual, 1e-8 * b.cwiseAbs().maxCoeff()) << run;
    EXPECT_LT(solver.passes(), StickSolver::kMaxPasses) << run;
    const Eigen::VectorXd left = b - S * lambda;
    for (int i = 0; i < count; ++i) {
      const Eigen::Vector3d n = normals.segment<3>(3 * i), f = lambda.segment<3>(3 * i),
                            r = left.segment<3>(3 * i);
      const double p = -n.dot(f), gap = n.dot(r);
      EXPECT_GE(p, -1e-12);
      EXPECT_GT(gap, -1.01 * residual - 1e-15);
      if (p > 1e-12) {
        EXPECT_LT(std::abs(gap), 1.01 * residual + 1e-15);
        const double across = (r - gap * n).norm();
        EXPECT_LE(across, 1.5 * std::max(solver.slip(std::size_t(i)), residual) + 1e-15);
        (across > 1e-6 ? slipping : holding) += 1;
      } else {
        EXPECT_EQ(f.norm(), 0.0);
        ++open;
      }
    }
  }
  EXPECT_GT(open, 100);
  EXPECT_GT(slipping, 50);
  EXPECT_GT(holding, 100);
}

}  // namespace
}  // namespace haptic::condensed
