#include "rt/worlds/condensed/coulomb_newton.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "rt/worlds/condensed/cone_solver.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Contacts of random normals on a random compliance of the size of a soft body's.
struct Problem {
  RowMajor S;
  Eigen::VectorXd b, normals;
  std::vector<double> mu;

  /// @param rank  of S; smaller than 3 count: redundant contacts
  Problem(int count, int rank, double friction, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    const auto random = [&] { return normal(engine); };
    const RowMajor root = RowMajor::NullaryExpr(3 * count, rank, random);
    S = 1e-3 / rank * root * root.transpose();
    b = Eigen::VectorXd::NullaryExpr(3 * count, [&] { return 3e-3 * random(); });
    // Demands that agree with each other, as those of one tool do.
    if (rank < 3 * count) b = S * Eigen::VectorXd::NullaryExpr(3 * count, random);
    normals.resize(3 * count);
    for (int i = 0; i < count; ++i) {
      // Upwards within 45 degrees.
      normals.segment<3>(3 * i) =
          Vector3(0.5 * random(), 2.0 + 0.2 * random(), 0.5 * random()).normalized();
    }
    mu.assign(static_cast<std::size_t>(count), friction);
  }
  SymmetricView view() const {
    const auto rows = static_cast<std::size_t>(S.rows());
    return {S.data(), rows, rows};
  }
  template <class Solver>
  auto solve(Solver& solver, Eigen::VectorXd& lambda) const {
    const auto rows = static_cast<std::size_t>(S.rows());
    return solver.solve(view(), std::span(b.data(), rows), std::span(normals.data(), rows), mu,
                        std::span(lambda.data(), rows));
  }
  /// Solves again from the result, as the steps under a still tool do.
  bool settle(CoulombNewton& newton, Eigen::VectorXd& lambda) const {
    bool converged = solve(newton, lambda);
    for (int i = 0; i < kSteps && converged; ++i) converged = solve(newton, lambda);
    return converged;
  }
  static constexpr int kSteps = 8;
  int count() const { return static_cast<int>(S.rows()) / 3; }

  /// Coulomb's law, with a tolerance [m] that is one of the force times 1 / S, too.
  void expect_law(const Eigen::VectorXd& lambda, double tolerance) const {
    const Eigen::VectorXd left = b - S * lambda;
    for (int i = 0; i < count(); ++i) {
      const Vector3 n = normals.segment<3>(3 * i), f = lambda.segment<3>(3 * i),
                    r = left.segment<3>(3 * i);
      const double p = -n.dot(f), friction = mu[static_cast<std::size_t>(i)];
      const Vector3 across = f + p * n, slip = r - n * n.dot(r);
      EXPECT_GE(p, 0.0);
      EXPECT_LE(-n.dot(r), tolerance);
      EXPECT_LE(across.norm(), friction * p * (1.0 + 1e-12));
      if (p > 0.0) {
        EXPECT_NEAR(n.dot(r), 0.0, tolerance);
      }
      if (slip.norm() > 10.0 * tolerance && p > 0.0) {
        EXPECT_NEAR(across.norm(), friction * p, 1e-6 * friction * p);
        EXPECT_GE(across.dot(slip), across.norm() * slip.norm() * (1.0 - 1e-5));
      }
    }
  }
};

TEST(CoulombNewton, its_solutions_are_coulombs_law_and_those_of_the_sweeps) {
  int converged = 0, sliding = 0, all = 0;
  for (const double friction : {0.1, 0.4, 0.8}) {
    for (unsigned seed = 0; seed < 100; ++seed) {
      const Problem p(1 + static_cast<int>(seed % 12), 60, friction, seed);
      CoulombNewton newton(12);
      Eigen::VectorXd lambda = Eigen::VectorXd::Zero(p.S.rows());
      ++all;
      if (!p.solve(newton, lambda)) {
        EXPECT_EQ(lambda, Eigen::VectorXd::Zero(p.S.rows()));
        continue;
      }
      // At once within a thousandth of 3 mm, the proximal term's part of it twice.
      p.expect_law(lambda, 1e-5);
      if (!p.settle(newton, lambda)) continue;
      ++converged;
      // 1e-8 of demands up to 9 mm.
      p.expect_law(lambda, 2e-10);
      ConeSolver sweeps(12, 2000);
      Eigen::VectorXd expected = Eigen::VectorXd::Zero(p.S.rows());
      ASSERT_TRUE(p.solve(sweeps, expected).converged);
      EXPECT_LT((lambda - expected).norm(), 1e-5 * expected.norm() + 1e-12)
          << friction << ' ' << seed;
      for (int i = 0; i < p.count(); ++i) {
        const Vector3 n = p.normals.segment<3>(3 * i), f = lambda.segment<3>(3 * i);
        const double pressure = -n.dot(f);
        sliding += pressure > 0.0 && (f + pressure * n).norm() > 0.999 * friction * pressure;
      }
    }
  }
  EXPECT_GT(converged, all * 9 / 10);
  EXPECT_GT(sliding, 300);
}

TEST(CoulombNewton, a_step_later_it_takes_a_few_iterations) {
  int most = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Problem p(10, 60, 0.5, seed);
    CoulombNewton newton(10);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(30);
    if (!p.settle(newton, lambda)) continue;
    p.b *= 1.001;
    ASSERT_TRUE(p.solve(newton, lambda));
    most = std::max(most, newton.iterations());
    // A thousandth of the change of 3 um, twice; some compliances of a contact are a third.
    p.expect_law(lambda, 1e-8);
  }
  EXPECT_LE(most, 5);
  EXPECT_GT(most, 0);
}

// Sixteen contacts on twelve degrees of freedom, as vertices on one face of an element.
TEST(CoulombNewton, redundant_contacts_satisfy_the_law) {
  int converged = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    Problem p(16, 12, 0.5, seed);
    for (int i = 0; i < 16; ++i) p.normals.segment<3>(3 * i) = Vector3::UnitY();
    CoulombNewton newton(16);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(48);
    if (!p.settle(newton, lambda)) continue;
    ++converged;
    p.expect_law(lambda, 1e-7);
  }
  EXPECT_GT(converged, 25);
}

TEST(CoulombNewton, nothing_demanded_is_nothing) {
  Problem p(4, 30, 0.5, 1);
  for (int i = 0; i < 4; ++i) p.b.segment<3>(3 * i) = 0.001 * p.normals.segment<3>(3 * i);
  CoulombNewton newton(4);
  Eigen::VectorXd lambda = -p.normals;
  ASSERT_TRUE(p.solve(newton, lambda));
  EXPECT_EQ(lambda, Eigen::VectorXd::Zero(12));
}

TEST(CoulombNewton, the_result_depends_on_its_arguments_alone_and_nothing_is_allocated) {
  const Problem p(8, 60, 0.4, 3), other(8, 60, 0.4, 4);
  CoulombNewton newton(8);
  Eigen::VectorXd first = Eigen::VectorXd::Zero(24), again = first, between = first;
  NoAllocation guard;
  ASSERT_TRUE(p.solve(newton, first));
  p.solve(newton, between);
  other.solve(newton, between);
  ASSERT_TRUE(p.solve(newton, again));
  EXPECT_EQ(first, again);
}

}  // namespace
}  // namespace haptic::condensed
