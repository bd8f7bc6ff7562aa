#include "rt/contact/contact_solver.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// A random system and a copy of what was put into it, for independent checks.
struct RandomSystem {
  RandomSystem(std::uint32_t n, int contacts, double stiffness, double damping, std::uint32_t seed,
               bool friction = false)
      : solver(n, static_cast<std::uint32_t>(contacts), friction), random(seed) {
    const Eigen::MatrixXd half = matrix(n, n);
    A = half * half.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    b = matrix(n, 1);
    solver.clear();
    solver.matrix() = A;
    solver.load() = b;
    for (int i = 0; i < contacts; ++i) {
      normals.push_back({uniform(-1.0, 1.0), stiffness * std::exp(uniform(-1.0, 1.0)), damping});
      rows.push_back(matrix(n, 1));
      const std::span<double> row = solver.add_normal(normals.back());
      std::copy(rows.back().data(), rows.back().data() + n, row.begin());
    }
    for (int i = 0; friction && i < contacts; ++i) {
      tangents.push_back({{uniform(-1.0, 1.0), uniform(-1.0, 1.0)}, stiffness, uniform(0.0, 0.5)});
      sides.push_back(matrix(n, 2));
      const ContactSolver::TangentRows both = solver.add_tangent(tangents.back());
      std::copy(sides.back().col(0).data(), sides.back().col(0).data() + n, both.first.begin());
      std::copy(sides.back().col(1).data(), sides.back().col(1).data() + n, both.second.begin());
    }
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  Eigen::MatrixXd matrix(Eigen::Index rows_, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows_, columns, [&] { return uniform(-1.0, 1.0); });
  }

  /// sum J^T f at x, by the formulas of the header.
  Eigen::VectorXd forces(const Eigen::VectorXd& x) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(x.size());
    for (std::size_t i = 0; i < normals.size(); ++i) {
      const double e = normals[i].distance + rows[i].dot(x);
      const double gain = std::max(0.0, 1.0 - normals[i].damping * (e - normals[i].distance));
      sum += normals[i].stiffness * std::max(0.0, -e) * gain * rows[i];
    }
    for (std::size_t i = 0; i < tangents.size(); ++i) {
      const Eigen::Vector2d s = Eigen::Vector2d(tangents[i].stretch[0], tangents[i].stretch[1]) +
                                sides[i].transpose() * x;
      const Eigen::Vector2d spring = -tangents[i].stiffness * s;
      const double shorter = std::min(1.0, tangents[i].limit / spring.norm());
      sum += sides[i] * (shorter * spring);
    }
    return sum;
  }

  ContactSolver solver;
  std::mt19937 random;
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  std::vector<ContactSolver::Normal> normals;
  std::vector<Eigen::VectorXd> rows;
  std::vector<ContactSolver::Tangent> tangents;
  std::vector<Eigen::MatrixXd> sides;
};

TEST(ContactSolver, without_contact_it_solves_the_linear_system) {
  RandomSystem system(7, 0, 1.0, 0.0, 1);
  ASSERT_EQ(system.solver.solve(), ContactSolver::Result::kConverged);
  const Eigen::VectorXd expected = system.A.lu().solve(system.b);
  // Conditioned up to 1e3, so rounding of 1e-16 becomes 1e-13.
  EXPECT_LE((system.solver.step() - expected).norm(), 1e-12 * expected.norm());
  EXPECT_EQ(system.solver.iterations(), 1u);
  EXPECT_EQ(system.solver.pressing(), 0u);
}

TEST(ContactSolver, a_mass_on_a_spring_contact_moves_as_the_closed_form) {
  // m/dt^2 x = b - k min(0, d + x): x = (b - k d) / (m/dt^2 + k) if that presses.
  for (const double k : {1e-2, 1e3, 1e12}) {
    for (const double d : {-1e-3, 1e-4}) {
      ContactSolver solver(1, 1, false);
      solver.clear();
      solver.matrix()(0, 0) = 2.5e5;
      solver.load()[0] = -100.0;
      solver.add_normal({d, k, 0.0})[0] = 1.0;
      ASSERT_EQ(solver.solve(), ContactSolver::Result::kConverged);
      const double x = (-100.0 - k * d) / (2.5e5 + k);
      EXPECT_NEAR(solver.step()[0], x, 1e-12 * std::abs(x));
      EXPECT_NEAR(solver.normal_force(0), -k * (d + x), 1e-9 * k * std::abs(d));
      EXPECT_LE(solver.iterations(), 4u);
    }
  }
}

TEST(ContactSolver, a_contact_that_the_step_does_not_reach_has_no_force) {
  ContactSolver solver(1, 1, false);
  solver.clear();
  solver.matrix()(0, 0) = 1.0;
  solver.load()[0] = -0.5;
  solver.add_normal({0.6, 1e6, 0.0})[0] = 1.0;
  ASSERT_EQ(solver.solve(), ContactSolver::Result::kConverged);
  EXPECT_DOUBLE_EQ(solver.step()[0], -0.5);
  EXPECT_EQ(solver.normal_force(0), 0.0);
  // A little nearer, it has.
  solver.clear();
  solver.matrix()(0, 0) = 1.0;
  solver.load()[0] = -0.5;
  solver.add_normal({0.4, 1e6, 0.0})[0] = 1.0;
  ASSERT_EQ(solver.solve(), ContactSolver::Result::kConverged);
  EXPECT_NEAR(solver.step()[0], -0.4, 1e-6);
  EXPECT_NEAR(solver.normal_force(0), 0.1, 1e-6);
}

TEST(ContactSolver, random_systems_are_in_balance_at_any_stiffness_and_damping) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    for (const double k : {1e-3, 1.0, 1e3, 1e6, 1e9}) {
      for (const double c : {0.0, 0.1, 1.0}) {
        RandomSystem system(9, 30, k, c, seed);
        ASSERT_EQ(system.solver.solve(), ContactSolver::Result::kConverged)
            << "seed " << seed << " k " << k << " c " << c;
        const Eigen::VectorXd& x = system.solver.step();
        const Eigen::VectorXd forces = system.forces(x);
        // Distances are of order 1, so each carries a rounding error of 1e-16 times some steps.
        EXPECT_LE((system.solver.contact_load() - forces).norm(), 1e-9 + 1e-14 * k);
        // The residual, measured as the displacement that it would still cause: |A^-1| <= 10.
        const Eigen::VectorXd left = system.A * x - system.b - forces;
        Eigen::MatrixXd H = system.A;
        for (std::size_t i = 0; i < system.rows.size(); ++i) {
          if (system.solver.normal_force(static_cast<std::uint32_t>(i)) > 0.0) {
            H += system.normals[i].stiffness * system.rows[i] * system.rows[i].transpose();
          }
        }
        EXPECT_LE(H.lu().solve(left).norm(), 1e-7 * x.norm())
            << "seed " << seed << " k " << k << " c " << c;
      }
    }
  }
}

TEST(ContactSolver, friction_is_in_balance_and_within_its_limit) {
  int sliding = 0, sticking = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    for (const double k : {1e-1, 1e1, 1e3}) {
      RandomSystem system(8, 10, k, 0.0, seed, true);
      ASSERT_NE(system.solver.solve(), ContactSolver::Result::kNotFinite);
      const Eigen::VectorXd& x = system.solver.step();
      const Eigen::VectorXd left = system.A * x - system.b - system.forces(x);
      // |A^-1| <= 10: the displacement still missing is at most 1e-4 of the step.
      EXPECT_LE(left.norm(), 1e-5 * x.norm() * (1.0 + k)) << "seed " << seed << " k " << k;
      for (std::size_t i = 0; i < system.tangents.size(); ++i) {
        const Eigen::Vector2d s(system.tangents[i].stretch[0], system.tangents[i].stretch[1]);
        const double spring = k * (s + system.sides[i].transpose() * x).norm();
        (spring > system.tangents[i].limit ? sliding : sticking) += 1;
      }
    }
  }
  EXPECT_GT(sliding, 100);
  EXPECT_GT(sticking, 100);
}

TEST(ContactSolver, a_solution_is_continued_with_more_contacts_other_limits_and_scaled_blocks) {
  // Against a solution from zero of the system as it ends: the minimum is unique.
  int moved = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    for (const double k : {1.0, 1e3, 1e5}) {
      for (const double c : {0.0, 0.5}) {
        RandomSystem continued(9, 20, k, c, seed, true), anew(9, 20, k, c, seed, true);
        // The first four unknowns are a body by themselves.
        for (RandomSystem* system : {&continued, &anew}) {
          system->A.bottomLeftCorner(5, 4).setZero();
          system->A.topRightCorner(4, 5).setZero();
        }
        ContactSolver solver(9, 21, true);
        const auto build = [&](const RandomSystem& system, std::size_t contacts) {
          solver.clear();
          solver.matrix() = system.A;
          solver.load() = system.b;
          const auto add = [&](std::size_t i) {
            const std::span<double> row = solver.add_normal(system.normals[i]);
            std::copy(system.rows[i].data(), system.rows[i].data() + 9, row.begin());
            const ContactSolver::TangentRows both = solver.add_tangent(system.tangents[i]);
            std::copy_n(system.sides[i].col(0).data(), 9, both.first.begin());
            std::copy_n(system.sides[i].col(1).data(), 9, both.second.begin());
          };
          for (std::size_t i = 0; i < contacts; ++i) add(i);
          return add;
        };
        const auto add = build(continued, 12);
        ASSERT_NE(solver.solve(), ContactSolver::Result::kNotFinite);
        const Eigen::VectorXd first = solver.step();
        for (std::size_t i = 12; i < 20; ++i) add(i);
        for (std::uint32_t i = 0; i < 20; ++i) solver.set_limit(i, 0.05 * i);
        solver.scale_block(0, 4, 2.5, 1.5);
        const Eigen::MatrixXd root = Eigen::MatrixXd::Random(3, 3);
        const Eigen::MatrixXd added = root * root.transpose();
        solver.add_matrix(4, 0.5, added);
        ASSERT_NE(solver.solve(ContactSolver::Start::kLast), ContactSolver::Result::kNotFinite);
        const Eigen::VectorXd second = solver.step();
        const Eigen::VectorXd forces = solver.contact_load();

        anew.A.topLeftCorner(4, 4) *= 2.5;
        anew.b.head(4) *= 1.5;
        anew.A.block(4, 4, 3, 3) += 0.5 * added;
        for (std::size_t i = 0; i < 20; ++i) anew.tangents[i].limit = 0.05 * static_cast<double>(i);
        build(anew, 20);
        ASSERT_NE(solver.solve(), ContactSolver::Result::kNotFinite);
        EXPECT_LE((solver.step() - second).norm(), 1e-5 * second.norm()) << seed << " " << k;
        EXPECT_LE((solver.contact_load() - forces).norm(), 1e-5 * k * second.norm());
        moved += (first - second).norm() > 1e-2 * second.norm();
      }
    }
  }
  EXPECT_GT(moved, 300);  // of 360
}

// The first system's contacts that do not press give their rows to contacts of another body.
// Against a solution from zero of the system as it ends: the minimum is unique.
TEST(ContactSolver, a_solution_is_continued_with_contacts_in_place_of_others) {
  int replaced = 0, moved = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    for (const double c : {0.0, 0.5}) {
      RandomSystem first(8, 12, 1e3, c, seed, false), second(8, 12, 1e3, c, seed + 1000, false);
      const std::uint32_t sizes[2] = {4, 4};
      ContactSolver solver(
          {.blocks = sizes, .width = 8, .supports = 2, .rows = 12, .friction = false});
      const std::uint32_t bodies[2] = {0, 1};
      const auto begin = [&] {
        solver.clear();
        solver.matrix().topLeftCorner<4, 4>() = first.A.topLeftCorner<4, 4>();
        solver.matrix().bottomRightCorner<4, 4>() = first.A.bottomRightCorner<4, 4>();
        solver.load() = first.b;
      };
      const auto fill = [](const Eigen::VectorXd& row, std::span<double> to) {
        std::copy_n(row.data(), to.size(), to.begin());
      };
      begin();
      const RowSupport* support = &solver.use_blocks(std::span(bodies).first(1));
      for (std::size_t i = 0; i < 12; ++i) {
        fill(first.rows[i].head(4), solver.add_normal(first.normals[i]));
      }
      ASSERT_EQ(support->used(), 4u);
      ASSERT_NE(solver.solve(), ContactSolver::Result::kNotFinite);
      const Eigen::VectorXd before = solver.step();
      std::vector<char> idle(12);
      for (std::uint32_t i = 0; i < 12; ++i) idle[i] = solver.normal_force(i) == 0.0 ? 1 : 0;
      solver.use_blocks(std::span(bodies).subspan(1));
      for (std::uint32_t i = 0; i < 12; ++i) {
        if (idle[i] == 0) continue;
        fill(second.rows[i].tail(4), solver.replace_normal(i, second.normals[i]));
        ++replaced;
      }
      ASSERT_NE(solver.solve(ContactSolver::Start::kLast), ContactSolver::Result::kNotFinite);
      const Eigen::VectorXd continued = solver.step();
      const Eigen::VectorXd forces = solver.contact_load();

      begin();
      for (std::size_t body = 0; body < 2; ++body) {
        solver.use_blocks(std::span(bodies).subspan(body, 1));
        for (std::size_t i = 0; i < 12; ++i) {
          if (idle[i] != static_cast<char>(body)) continue;
          const RandomSystem& system = body == 0 ? first : second;
          fill(body == 0 ? system.rows[i].head(4) : system.rows[i].tail(4),
               solver.add_normal(system.normals[i]));
        }
      }
      ASSERT_NE(solver.solve(), ContactSolver::Result::kNotFinite);
      EXPECT_LE((solver.step() - continued).norm(), 1e-5 * continued.norm()) << seed;
      EXPECT_LE((solver.contact_load() - forces).norm(), 1e-5 * 1e3 * continued.norm()) << seed;
      moved += (before - continued).norm() > 1e-2 * continued.norm();
    }
  }
  EXPECT_GT(replaced, 200);
  EXPECT_GT(moved, 60);  // of 120
}

// Contacts that may press get other rows. Against a solution from zero of the system as it ends:
// the minimum is unique.
TEST(ContactSolver, a_solution_is_continued_with_contacts_linearised_anew) {
  int pressed = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    for (const double c : {0.0, 0.5}) {
      RandomSystem first(6, 8, 1e3, c, seed), second(6, 8, 1e3, c, seed + 1000);
      ASSERT_NE(first.solver.solve(), ContactSolver::Result::kNotFinite);
      second.A = first.A;
      second.b = first.b;
      for (std::uint32_t i = 0; i < 8; ++i) {
        pressed += first.solver.normal_force(i) > 0.0 ? 1 : 0;
        const std::span<double> row = first.solver.relinearise_normal(i, second.normals[i]);
        std::copy_n(second.rows[i].data(), row.size(), row.begin());
      }
      ASSERT_NE(first.solver.solve(ContactSolver::Start::kLast), ContactSolver::Result::kNotFinite);
      const Eigen::VectorXd x = first.solver.step();
      const Eigen::VectorXd residual = first.b - first.A * x + second.forces(x);
      EXPECT_LE(residual.norm(), 1e-5 * (1.0 + first.b.norm())) << seed;
    }
  }
  EXPECT_GT(pressed, 200);
}

// A body is expected to move on by -1 mm and is stopped after -0.1 mm. That is no motion outwards:
// its force is that of the spring, k e, with v = 0.
TEST(ContactSolver, what_falls_short_of_a_motion_without_damping_is_not_damped) {
  for (const double undamped : {-1e-3, -1e-4, 0.0, 1e-3}) {
    ContactSolver solver(1, 1, false);
    constexpr double kMass = 1e3, kStiffness = 1e4, kDamping = 1e4;
    solver.clear();
    solver.matrix()(0, 0) = kMass;
    solver.load()[0] = -(kMass + kStiffness) * 1e-4;
    solver.add_normal({0.0, kStiffness, kDamping, 0.0, undamped})[0] = 1.0;
    ASSERT_EQ(solver.solve(), ContactSolver::Result::kConverged);
    const double x = solver.step()[0];
    const double damped = x - std::clamp(x, std::min(0.0, undamped), std::max(0.0, undamped));
    EXPECT_NEAR(solver.normal_force(0), -kStiffness * x * (1.0 - kDamping * damped), 1e-9);
    // A motion inwards that is damped is shorter than without damping, never longer.
    EXPECT_GE(x, -1e-4 * (1.0 + 1e-9)) << undamped;
    if (undamped <= -1e-4) {
      EXPECT_NEAR(x, -1e-4, 1e-12);
    }
  }
}

TEST(ContactSolver, a_limit_of_zero_is_no_friction) {
  RandomSystem with(6, 5, 100.0, 0.0, 3, true), without(6, 5, 100.0, 0.0, 3, true);
  for (std::uint32_t i = 0; i < 5; ++i) with.solver.set_limit(i, 0.0);
  without.solver.clear();
  without.solver.matrix() = without.A;
  without.solver.load() = without.b;
  for (std::size_t i = 0; i < 5; ++i) {
    const std::span<double> row = without.solver.add_normal(without.normals[i]);
    std::copy(without.rows[i].data(), without.rows[i].data() + 6, row.begin());
  }
  ASSERT_EQ(with.solver.solve(), ContactSolver::Result::kConverged);
  ASSERT_EQ(without.solver.solve(), ContactSolver::Result::kConverged);
  EXPECT_LE((with.solver.step() - without.solver.step()).norm(), 1e-8);
}

TEST(ContactSolver, a_point_of_weight_zero_is_no_contact) {
  ContactSolver solver(1, 1, false);
  solver.clear();
  solver.matrix()(0, 0) = 2.0;
  solver.load()[0] = -1.0;
  solver.add_normal({-1.0, 0.0, 3.0})[0] = 1.0;
  ASSERT_EQ(solver.solve(), ContactSolver::Result::kConverged);
  EXPECT_DOUBLE_EQ(solver.step()[0], -0.5);
  EXPECT_EQ(solver.pressing(), 0u);
}

TEST(ContactSolver, rows_beyond_the_capacity_are_refused) {
  ContactSolver solver(2, 3, true);
  solver.clear();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(solver.add_normal({0.0, 1.0, 0.0}).size(), 2u);
    EXPECT_EQ(solver.add_tangent({{0.0, 0.0}, 1.0, 1.0}).second.size(), 2u);
  }
  EXPECT_TRUE(solver.add_normal({0.0, 1.0, 0.0}).empty());
  EXPECT_TRUE(solver.add_tangent({{0.0, 0.0}, 1.0, 1.0}).first.empty());
  EXPECT_EQ(solver.contacts(), 3u);
}

TEST(ContactSolver, what_is_not_finite_is_reported) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  RandomSystem system(4, 6, 10.0, 0.0, 7);
  system.solver.matrix()(3, 3) = kNaN;
  EXPECT_EQ(system.solver.solve(), ContactSolver::Result::kNotFinite);
  EXPECT_EQ(system.solver.step().norm(), 0.0);
  system.solver.matrix()(3, 3) = system.A(3, 3);
  system.solver.load()[1] = kNaN;
  EXPECT_EQ(system.solver.solve(), ContactSolver::Result::kNotFinite);
}

TEST(ContactSolver, an_indefinite_body_moves_to_its_stationary_point) {
  RandomSystem system(5, 0, 1.0, 0.0, 11);
  system.A(2, 2) -= 50.0;
  system.solver.matrix() = system.A;
  ASSERT_EQ(system.solver.solve(), ContactSolver::Result::kConverged);
  EXPECT_LE((system.A * system.solver.step() - system.b).norm(), 1e-10 * system.b.norm());
}

TEST(ContactSolver, extreme_damping_ends_after_the_iterations_allowed_with_less_than_it_began) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    RandomSystem system(9, 30, 1e6, 100.0, seed);
    ASSERT_NE(system.solver.solve(), ContactSolver::Result::kNotFinite);
    EXPECT_LE(system.solver.iterations(), ContactSolver::kMaxIterations);
    const auto missing = [&](const Eigen::VectorXd& x) {
      return (system.A * x - system.b - system.forces(x)).norm();
    };
    EXPECT_LE(missing(system.solver.step()), 0.1 * missing(Eigen::VectorXd::Zero(9))) << seed;
  }
}

TEST(ContactSolver, solving_never_allocates) {
  RandomSystem system(26, 200, 1e5, 10.0, 9, true);
  NoAllocation guard;
  EXPECT_NE(system.solver.solve(), ContactSolver::Result::kNotFinite);
}

// Twice as many contacts of half the stiffness are the same forces. Rows take time to prepare; the
// unknowns, the iterations and the factorisations are those of the bodies.
TEST(ContactSolver, more_points_of_the_same_contact_need_no_more_factorisations) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    RandomSystem system(12, 40, 1e4, 0.0, seed);
    ASSERT_EQ(system.solver.solve(), ContactSolver::Result::kConverged);
    const Eigen::VectorXd x = system.solver.step();
    for (const int copies : {2, 4}) {
      ContactSolver more(12, 40 * static_cast<std::uint32_t>(copies), false);
      more.clear();
      more.matrix() = system.A;
      more.load() = system.b;
      for (std::size_t i = 0; i < system.normals.size(); ++i) {
        ContactSolver::Normal normal = system.normals[i];
        normal.stiffness /= copies;
        for (int copy = 0; copy < copies; ++copy) {
          const std::span<double> row = more.add_normal(normal);
          std::copy(system.rows[i].data(), system.rows[i].data() + 12, row.begin());
        }
      }
      ASSERT_EQ(more.solve(), ContactSolver::Result::kConverged);
      EXPECT_EQ(more.unknowns(), system.solver.unknowns());
      EXPECT_EQ(more.iterations(), system.solver.iterations());
      EXPECT_EQ(more.factorisations(), system.solver.factorisations());
      EXPECT_LE((more.step() - x).norm(), 1e-9 * x.norm());
    }
  }
}

}  // namespace
}  // namespace haptic
