#include "rt/worlds/condensed/cone_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include "rt/worlds/condensed/contact_compliance.h"
#include "tests/rt/worlds/condensed/condensed_block.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

using Eigen::Vector3d;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Contacts with a compliance, normals and demands.
struct ConeProblem {
  RowMajor S;
  Eigen::VectorXd b, normals;
  std::vector<double> mu;

  int count() const { return int(mu.size()); }
  SymmetricView view() const { return {S.data(), std::size_t(S.rows()), std::size_t(S.rows())}; }
  Vector3d normal(int i) const { return normals.segment<3>(3 * i); }
  ConeSolver::Outcome solve(ConeSolver& solver, Eigen::VectorXd& lambda) const {
    const auto span = [](const Eigen::VectorXd& v) {
      return std::span<const double>(v.data(), std::size_t(v.size()));
    };
    return solver.solve(view(), span(b), span(normals), mu,
                        {lambda.data(), std::size_t(lambda.size())});
  }
};

/// A made-up body: positive definite, each contact most compliant at itself.
ConeProblem random_problem(int count, double mu, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  ConeProblem p;
  RowMajor half(3 * count, 3 * count);
  for (double& x : half.reshaped()) x = normal(random);
  p.S = half * half.transpose() / (3.0 * count) + RowMajor::Identity(3 * count, 3 * count);
  p.S = (1e-3 * 0.5 * (p.S + p.S.transpose())).eval();
  p.b.resize(3 * count);
  p.normals.resize(3 * count);
  for (int i = 0; i < count; ++i) {
    const Vector3d n = Vector3d(normal(random), normal(random), normal(random)).normalized();
    p.normals.segment<3>(3 * i) = n;
    p.b.segment<3>(3 * i) =
        1e-3 * Vector3d(normal(random), normal(random), normal(random)) - 0.5e-3 * n;
  }
  p.mu.assign(std::size_t(count), mu);
  return p;
}

/// The conditions of cone_solver.h.
void expect_coulomb(const ConeProblem& p, const Eigen::VectorXd& lambda, double tolerance_m) {
  const Eigen::VectorXd r = p.b - p.S * lambda;
  const double tolerance_N = tolerance_m / p.S.diagonal().minCoeff();
  for (int i = 0; i < p.count(); ++i) {
    const Vector3d n = p.normal(i), force = lambda.segment<3>(3 * i), left = r.segment<3>(3 * i);
    const double pressure = -n.dot(force), limit = p.mu[std::size_t(i)] * pressure;
    const Vector3d t = force + pressure * n, slip = left - n.dot(left) * n;
    EXPECT_GE(pressure, -1e-300);
    EXPECT_LE(-n.dot(left), tolerance_m);
    if (pressure > tolerance_N) {
      EXPECT_NEAR(n.dot(left), 0.0, tolerance_m);
    }
    EXPECT_LE(t.norm(), limit * (1.0 + 1e-12) + 1e-14);  // rounding of t
    if (t.norm() < limit - tolerance_N) {
      EXPECT_LT(slip.norm(), tolerance_m);  // sticks
    } else if (slip.norm() > 1e3 * tolerance_m && limit > 1e3 * tolerance_N) {
      EXPECT_GT(t.normalized().dot(slip.normalized()), 1.0 - 1e-5);
    }
  }
}

/// Without friction: the conditions of the minimum, to rounding, cold and from any guess.
TEST(ConeSolver, frictionless_pressures_are_the_exact_minimum) {
  int pressing = 0, open = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int count = 1 + int(seed % 20);
    const ConeProblem p = random_problem(count, 0.0, seed);
    ConeSolver solver(20);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(3 * count);
    const ConeSolver::Outcome outcome = p.solve(solver, lambda);
    EXPECT_TRUE(outcome.converged);
    // The diagonal has 1e-12 more; forces are of order 1 N and compliances of 1e-3 m/N.
    EXPECT_LT(outcome.residual, 1e-14);
    expect_coulomb(p, lambda, 1e-13);
    for (int i = 0; i < count; ++i) ++(lambda.segment<3>(3 * i).norm() > 0.0 ? pressing : open);

    Eigen::VectorXd guess = Eigen::VectorXd::Random(3 * count);
    EXPECT_TRUE(p.solve(solver, guess).converged);
    EXPECT_LT((guess - lambda).norm(), 1e-11 * lambda.norm() + 1e-300);
    Eigen::VectorXd warm = lambda;
    EXPECT_EQ(p.solve(solver, warm).iterations, 0u);
    EXPECT_LT((warm - lambda).norm(), 1e-11 * lambda.norm() + 1e-300);
  }
  EXPECT_GT(pressing, 100);
  EXPECT_GT(open, 100);
}

/// Two contacts at one place with different demands: the deeper one presses, the other is open.
/// With the same demand both share the force evenly.
TEST(ConeSolver, redundant_contacts_do_not_contradict) {
  ConeProblem p;
  p.S = RowMajor::Zero(6, 6);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) p.S.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(2e-3);
  }
  p.normals.resize(6);
  p.normals << 0.0, 0.0, 1.0, 0.0, 0.0, 1.0;
  p.b.resize(6);
  p.b << 0.0, 0.0, -0.004, 0.0, 0.0, -0.006;
  p.mu = {0.0, 0.0};
  ConeSolver solver(2);
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(6);
  EXPECT_TRUE(p.solve(solver, lambda).converged);
  EXPECT_EQ(lambda[2], 0.0);
  EXPECT_NEAR(lambda[5], -3.0, 1e-10);
  p.b[2] = -0.006;
  EXPECT_TRUE(p.solve(solver, lambda).converged);
  EXPECT_NEAR(lambda[2] + lambda[5], -3.0, 1e-10);
}

/// A tool that is pulled away never pulls the surface along.
TEST(ConeSolver, forces_never_attract) {
  const ConeProblem pressed = random_problem(8, 0.3, 1);
  ConeProblem p = pressed;
  for (int i = 0; i < 8; ++i) p.b.segment<3>(3 * i) = 0.001 * p.normal(i);
  for (const double mu : {0.0, 0.3}) {
    p.mu.assign(8, mu);
    ConeSolver solver(8);
    Eigen::VectorXd lambda = -pressed.normals;
    EXPECT_TRUE(p.solve(solver, lambda).converged);
    EXPECT_EQ(lambda, Eigen::VectorXd::Zero(24));
  }
}

/// One contact against the closed form: sticks below mu, slides above it at the normal
/// displacement that is demanded.
TEST(ConeSolver, one_contact_sticks_or_slides) {
  ConeProblem p;
  p.S = RowMajor::Zero(3, 3);
  p.S.diagonal() << 3e-3, 3e-3, 2e-3;
  p.normals = Vector3d::UnitZ();
  p.mu = {0.5};
  ConeSolver solver(1);
  Eigen::VectorXd lambda = Vector3d::Zero();
  p.b = Vector3d(0.0016, -0.0012, -0.004);  // |t| 0.667 N of 2 N pressure
  EXPECT_TRUE(p.solve(solver, lambda).converged);
  EXPECT_LT((lambda - Vector3d(1.6 / 3.0, -0.4, -2.0)).norm(), 1e-12);
  p.b = Vector3d(0.0048, -0.0036, -0.004);  // |t| 2 N would be needed
  EXPECT_TRUE(p.solve(solver, lambda).converged);
  EXPECT_LT((lambda - Vector3d(0.8, -0.6, -2.0)).norm(), 1e-12);
}

TEST(ConeSolver, friction_is_coulombs_law) {
  int sticking = 0, sliding = 0;
  for (const double mu : {0.1, 0.4, 1.0}) {
    for (unsigned seed = 0; seed < 30; ++seed) {
      const int count = 1 + int(seed % 12);
      const ConeProblem p = random_problem(count, mu, seed);
      ConeSolver solver(12, 1000);
      Eigen::VectorXd lambda = Eigen::VectorXd::Zero(3 * count);
      const ConeSolver::Outcome outcome = p.solve(solver, lambda);
      EXPECT_TRUE(outcome.converged) << mu << ' ' << seed;
      // Ends when a sweep changes less than 1e-10 of a demand of 3 mm.
      EXPECT_LT(outcome.residual, 1e-12);
      expect_coulomb(p, lambda, 1e-10);
      for (int i = 0; i < count; ++i) {
        const Vector3d n = p.normal(i), force = lambda.segment<3>(3 * i);
        const double pressure = -n.dot(force);
        if (pressure > 0.0)
          ++((force + pressure * n).norm() < 0.999 * mu * pressure ? sticking : sliding);
      }
      Eigen::VectorXd warm = lambda;
      EXPECT_LE(p.solve(solver, warm).iterations, 2u);
    }
  }
  EXPECT_GT(sticking, 30);
  EXPECT_GT(sliding, 30);
}

/// With much friction and demands that press, the forces are those of the bilateral solution.
TEST(ConeSolver, contacts_that_stick_have_the_bilateral_forces) {
  ConeProblem p = random_problem(6, 100.0, 5);
  Eigen::VectorXd expected(18);
  for (int i = 0; i < 6; ++i) expected.segment<3>(3 * i) = -p.normal(i) + 0.2 * Vector3d::Ones();
  p.b = p.S * expected;
  ConeSolver solver(6, 1000);
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(18);
  EXPECT_TRUE(p.solve(solver, lambda).converged);
  EXPECT_LT((lambda - expected).norm(), 1e-8 * expected.norm());
}

/// A plate on the block: 9 points; the pressure is
/// largest at the plate's edge, as the contact of a rigid punch.
TEST(ConeSolver, punch_on_a_condensed_block) {
  const CondensedBlock block({.edge_count = 6});
  const CondensedModel model = block.model();
  ContactCompliance contacts(model, 0, 9);
  ConeProblem p;
  p.normals.resize(27);
  p.b.resize(27);
  for (int i = 0; i < 9; ++i) {
    const double x = (2 + i % 3) * 0.1 / 6.0, y = (2 + i / 3) * 0.1 / 6.0;
    ASSERT_TRUE(contacts.add(row_of_vertex(model, block.vertex_at(x, y, 0.1))));
    p.normals.segment<3>(3 * i) = Vector3d::UnitZ();
    p.b.segment<3>(3 * i) = Vector3d(0.0, 0.0, -0.002);
  }
  const SymmetricView S = contacts.matrix();
  p.S.resize(27, 27);
  for (int i = 0; i < 27; ++i) {
    for (int j = 0; j < 27; ++j) p.S(i, j) = S(std::size_t(i), std::size_t(j));
  }
  p.mu.assign(9, 0.0);
  ConeSolver solver(9);
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(27);
  EXPECT_TRUE(p.solve(solver, lambda).converged);
  EXPECT_GT(-lambda[2], 1.2 * -lambda[3 * 4 + 2]);
  expect_coulomb(p, lambda, 1e-14);
  // The block is symmetric in x and y.
  EXPECT_NEAR(lambda[2], lambda[3 * 8 + 2], 1e-9);
}

/// What press() reports is what its forces leave: rounding and what 1e-12 more on the diagonal
/// make, which is seldom nothing.
TEST(ConeSolver, frictionless_residual_is_the_violation_that_is_left) {
  int left = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const ConeProblem p = random_problem(12, 0.0, seed);
    ConeSolver solver(12);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(36);
    const ConeSolver::Outcome outcome = p.solve(solver, lambda);
    const Eigen::VectorXd r = p.b - p.S * lambda;
    double violation = 0.0, added = 0.0;
    for (int i = 0; i < 12; ++i) {
      const double open = -p.normal(i).dot(r.segment<3>(3 * i));
      const double pressure = -p.normal(i).dot(lambda.segment<3>(3 * i));
      violation = std::max(violation, pressure > 0.0 ? std::abs(open) : std::max(open, 0.0));
      added = std::max(added, 1e-12 * p.S.diagonal().maxCoeff() * pressure);
    }
    // The solver's own violation has the addition to the diagonal: at most two of them apart.
    EXPECT_NEAR(outcome.residual, violation, 2.0 * added + 1e-18) << "seed " << seed;
    left += outcome.residual > 0.0;
  }
  EXPECT_GT(left, 30);
}

TEST(ConeSolver, bound_of_sweeps_is_kept_and_told) {
  const ConeProblem p = random_problem(12, 0.4, 3);
  ConeSolver solver(12, 2);
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(36);
  const ConeSolver::Outcome outcome = p.solve(solver, lambda);
  EXPECT_EQ(outcome.iterations, 2u);
  EXPECT_FALSE(outcome.converged);
  EXPECT_GT(outcome.residual, 1e-8);
}

TEST(ConeSolver, never_allocates) {
  for (const double mu : {0.0, 0.4}) {
    const ConeProblem p = random_problem(12, mu, 3);
    ConeSolver solver(12);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(36);
    const NoAllocation guard;
    EXPECT_GT(p.solve(solver, lambda).iterations, 0u);
  }
}

}  // namespace
}  // namespace haptic::condensed
