// Links: the stiff linear springs of joints and servos.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "rt/contact/contact_solver.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Two bodies of six unknowns and one of five, random links between them, and normal contacts.
struct LinkedBodies {
  static constexpr std::array<std::uint32_t, 3> kBlocks = {6, 5, 6};
  static constexpr std::array<Eigen::Index, 3> kFirst = {0, 6, 11};
  static constexpr Eigen::Index kUnknowns = 17;

  explicit LinkedBodies(std::uint32_t seed)
      : solver({.blocks = kBlocks,
                .width = 24,
                .supports = 40,
                .rows = 20,
                .friction = false,
                .links = 20}),
        random(seed) {
    solver.clear();
    A = Eigen::MatrixXd::Zero(kUnknowns, kUnknowns);
    for (std::size_t k = 0; k < kBlocks.size(); ++k) {
      const auto n = static_cast<Eigen::Index>(kBlocks[k]);
      const Eigen::MatrixXd half = matrix(n, n);
      A.block(kFirst[k], kFirst[k], n, n) =
          half * half.transpose() + 0.3 * Eigen::MatrixXd::Identity(n, n);
    }
    b = matrix(kUnknowns, 1);
    solver.matrix() = A;
    solver.load() = b;
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  Eigen::MatrixXd matrix(Eigen::Index rows_, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows_, columns, [&] { return uniform(-1.0, 1.0); });
  }
  /// Fills a row of the solver for two blocks, and returns it with all unknowns.
  Eigen::VectorXd fill(std::span<double> row, const RowSupport& support) {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(kUnknowns);
    for (std::uint32_t i = 0; i < support.block_count; ++i) {
      const std::uint32_t block = support.blocks[i];
      for (std::uint32_t j = 0; j < kBlocks[block]; ++j) {
        const double value = uniform(-1.0, 1.0);
        row[support.offsets[i] + j] = value;
        all[kFirst[block] + j] = value;
      }
    }
    return all;
  }
  void link(std::uint32_t a, std::uint32_t c, double stiffness, double limit = kUnlimited) {
    const std::array<std::uint32_t, 2> blocks = {a, c};
    const RowSupport& support = solver.use_blocks(blocks);
    links.push_back({uniform(-1.0, 1.0), stiffness, limit});
    rows.push_back(fill(solver.add_link(links.back()), support));
  }
  void touch(std::uint32_t a, std::uint32_t c, double stiffness) {
    const std::array<std::uint32_t, 2> blocks = {a, c};
    const RowSupport& support = solver.use_blocks(blocks);
    normals.push_back({uniform(-1.0, 1.0), stiffness, 0.0});
    normal_rows.push_back(fill(solver.add_normal(normals.back()), support));
  }
  /// sum J^T f at x, by the formulas of the header.
  Eigen::VectorXd forces(const Eigen::VectorXd& x) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(kUnknowns);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const double f = -links[i].stiffness * (links[i].stretch + rows[i].dot(x));
      sum += std::clamp(f, -links[i].limit, links[i].limit) * rows[i];
    }
    for (std::size_t i = 0; i < normals.size(); ++i) {
      const double e = normals[i].distance + normal_rows[i].dot(x);
      sum += normals[i].stiffness * std::max(0.0, -e) * normal_rows[i];
    }
    return sum;
  }

  ContactSolver solver;
  std::mt19937 random;
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  std::vector<ContactSolver::Link> links;
  std::vector<ContactSolver::Normal> normals;
  std::vector<Eigen::VectorXd> rows, normal_rows;
};

TEST(ContactSolverLinks, a_mass_on_a_spring_moves_as_the_closed_form) {
  for (const double limit : {kUnlimited, 30.0}) {
    for (const double k : {1.0, 1e5, 1e13}) {
      ContactSolver solver({.blocks = std::array<std::uint32_t, 1>{1},
                            .width = 4,
                            .supports = 0,
                            .rows = 0,
                            .friction = false,
                            .links = 1});
      solver.clear();
      solver.matrix()(0, 0) = 2.5e5;
      solver.load()[0] = -100.0;
      solver.add_link({2e-4, k, limit})[0] = 1.0;
      EXPECT_TRUE(solver.add_link({0.0, 1.0, 1.0}).empty());
      ASSERT_EQ(solver.solve(), ContactSolver::Result::kConverged);
      const double free = (-100.0 - k * 2e-4) / (2.5e5 + k);
      const double force = std::clamp(-k * (2e-4 + free), -limit, limit);
      const double x = std::abs(force) < limit ? free : (-100.0 + force) / 2.5e5;
      // x is known to 1e-16 of 2e-4 m, which is the error of the force over k.
      EXPECT_NEAR(solver.step()[0], x, 1e-14 * std::abs(x) + 1e-17) << k;
      EXPECT_NEAR(solver.link_force(0), force, 1e-12 * std::abs(force) + 1e-19 * k) << k;
      EXPECT_DOUBLE_EQ(solver.contact_load()[0], solver.link_force(0));
      EXPECT_LE(solver.iterations(), 4u);
    }
  }
}

TEST(ContactSolverLinks, random_systems_are_in_balance) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    for (const double k : {1e-2, 1.0, 1e3}) {
      LinkedBodies bodies(seed);
      for (int i = 0; i < 4; ++i) bodies.link(0, 1, k, i % 2 == 0 ? kUnlimited : 0.3);
      for (int i = 0; i < 4; ++i) bodies.link(1, 2, k, i % 2 == 0 ? kUnlimited : 0.3);
      for (int i = 0; i < 6; ++i) bodies.touch(0, 2, k);
      ASSERT_EQ(bodies.solver.solve(), ContactSolver::Result::kConverged) << seed << " " << k;
      const Eigen::VectorXd x = bodies.solver.step(), forces = bodies.forces(x);
      // |A| <= 10, and converged to 1e-9 of x.
      EXPECT_LE((bodies.A * x - bodies.b - forces).norm(), 1e-7 * (1.0 + k)) << seed << " " << k;
      EXPECT_LE((bodies.solver.contact_load() - forces).norm(), 1e-9 * (1.0 + k));
    }
  }
}

TEST(ContactSolverLinks, the_stiffest_leave_the_other_motions_their_accuracy) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    LinkedBodies bodies(seed);
    // Bodies 0 and 2 translate together: x_0 - x_2 = d, and the sum of their equations has no link.
    const std::array<std::uint32_t, 2> blocks = {0, 2};
    const RowSupport& support = bodies.solver.use_blocks(blocks);
    for (std::uint32_t k = 0; k < 3; ++k) {
      for (int twice = 0; twice < 2; ++twice) {  // redundant
        const std::span<double> row = bodies.solver.add_link({0.1, 1e8, kUnlimited});
        row[support.offset(0) + k] = 1.0;
        row[support.offset(2) + k] = -1.0;
      }
    }
    ASSERT_EQ(bodies.solver.solve(), ContactSolver::Result::kConverged);
    const Eigen::VectorXd& x = bodies.solver.step();
    const Eigen::VectorXd left = bodies.A * x - bodies.b;
    for (Eigen::Index k = 0; k < 3; ++k) {
      EXPECT_NEAR(x[k] - x[11 + k], -0.1, 1e-7);
      // Rounding of sums of order 10; without refinement 1e-8.
      EXPECT_NEAR(left[k] + left[11 + k], 0.0, 1e-13 * x.norm()) << seed;
    }
    EXPECT_LE(left.segment(6, 5).norm(), 1e-13 * x.norm());
  }
}

TEST(ContactSolverLinks, a_solution_is_continued_with_shifted_links) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    LinkedBodies bodies(seed);
    for (int i = 0; i < 3; ++i) bodies.link(0, 1, 1e6);
    bodies.link(1, 2, 10.0, 0.5);
    for (int i = 0; i < 4; ++i) bodies.touch(0, 2, 10.0);
    ASSERT_EQ(bodies.solver.solve(), ContactSolver::Result::kConverged);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const double by = bodies.uniform(-0.5, 0.5);
      bodies.solver.shift_link(i, by);
      bodies.links[i].stretch += by;
    }
    bodies.solver.scale_block(11, 6, 3.0, 3.0);
    bodies.A.block(11, 11, 6, 6) *= 3.0;
    bodies.b.segment(11, 6) *= 3.0;
    ASSERT_EQ(bodies.solver.solve(ContactSolver::Start::kLast), ContactSolver::Result::kConverged);
    const Eigen::VectorXd& x = bodies.solver.step();
    // The links of 1e6 have a rounding error of 1e-16 times some of their stretch of 1.
    EXPECT_LE((bodies.A * x - bodies.b - bodies.forces(x)).norm(), 2e-8) << seed;
  }
}

TEST(ContactSolverLinks, a_solution_is_continued_with_other_rows) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    LinkedBodies bodies(seed);
    for (int i = 0; i < 3; ++i) bodies.link(0, 1, 1e6);
    for (int i = 0; i < 4; ++i) bodies.touch(0, 2, 10.0);
    ASSERT_EQ(bodies.solver.solve(), ContactSolver::Result::kConverged);
    EXPECT_NEAR(bodies.solver.link_stretch(1),
                bodies.links[1].stretch + bodies.rows[1].dot(bodies.solver.step()), 1e-14);
    const std::span<double> row = bodies.solver.replace_link(1);
    bodies.rows[1].setZero();
    for (std::uint32_t k = 0; k < 11; ++k) {  // both blocks, which follow each other
      EXPECT_EQ(row[k], 0.0);
      bodies.rows[1][k] = row[k] = bodies.uniform(-1.0, 1.0);
    }
    bodies.solver.set_link_stretch(1, 0.25);
    bodies.links[1].stretch = 0.25 - bodies.rows[1].dot(bodies.solver.step());
    ASSERT_EQ(bodies.solver.solve(ContactSolver::Start::kLast), ContactSolver::Result::kConverged);
    const Eigen::VectorXd& x = bodies.solver.step();
    // As for shifted links.
    EXPECT_LE((bodies.A * x - bodies.b - bodies.forces(x)).norm(), 2e-8) << seed;
  }
}

TEST(ContactSolverLinks, solving_does_not_allocate) {
  LinkedBodies bodies(5);
  for (int i = 0; i < 3; ++i) bodies.link(0, 1, 1e8);
  bodies.link(1, 2, 10.0, 0.5);
  for (int i = 0; i < 4; ++i) bodies.touch(0, 2, 10.0);
  NoAllocation guard;
  EXPECT_EQ(bodies.solver.solve(), ContactSolver::Result::kConverged);
  bodies.solver.shift_link(0, 0.1);
  EXPECT_EQ(bodies.solver.solve(ContactSolver::Start::kLast), ContactSolver::Result::kConverged);
}

}  // namespace
}  // namespace haptic
