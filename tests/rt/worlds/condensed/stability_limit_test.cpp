#include "rt/worlds/condensed/stability_limit.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/rt/worlds/condensed/condensed_block.h"
#include "tests/rt/worlds/condensed/condensed_motion.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class StableSteps : public testing::Test {
 protected:
  ContactRow at(double x, double y, double z) const {
    return row_of_vertex(model_, block_.vertex_at(x, y, z));
  }
  double limit(const std::vector<ContactRow>& rows, int m, RayleighDamping damping,
               ModalIntegrator integrator) const {
    ContactCompliance contacts(model_, std::size_t(m), rows.size());
    for (const ContactRow& row : rows) EXPECT_TRUE(contacts.add(row));
    StabilityLimit stability(model_.eigenvalues.first(std::size_t(m)), damping, integrator,
                             rows.size());
    return stability.largest_step(system_of(contacts));
  }
  /// K_e by dense matrices.
  Eigen::MatrixXd spring(const std::vector<ContactRow>& rows, int m) const {
    const Eigen::MatrixXd H = block_.H(rows), HU = H * block_.U.leftCols(m);
    const Eigen::MatrixXd S2 = H * block_.C2(m) * H.transpose();
    const Eigen::MatrixXd K = HU.transpose() * S2.inverse() * HU;
    return 0.5 * (K + K.transpose());
  }
  /// Whether the modes stay as large as they are, with the contacts held at rest. Without damping
  /// they beat; 2 % above the limit they grow by more than 1 % a step.
  bool decays(const std::vector<ContactRow>& rows, CondensedDynamicsSettings settings) const {
    CondensedMotion motion(block_, settings);
    for (const ContactRow& row : rows) EXPECT_TRUE(motion.dynamics.add_contact(row));
    const Eigen::VectorXd q = Eigen::VectorXd::Ones(Eigen::Index(settings.modes)), qd = 0.0 * q;
    EXPECT_TRUE(motion.dynamics.set_state({q.data(), settings.modes}, {qd.data(), settings.modes}));
    const Eigen::VectorXd target = Eigen::VectorXd::Zero(Eigen::Index(3 * rows.size()));
    double early = 0.0, late = 0.0;
    for (int i = 0; i < 3000; ++i) {
      motion.step(target);
      (i < 1500 ? early : late) = std::max(i < 1500 ? early : late, motion.q().norm());
      if (late > 1e6) return false;
    }
    return late < 2.0 * early;
  }

  CondensedBlock block_;
  CondensedModel model_ = block_.model();
};

/// Undamped: 2 / sqrt(largest eigenvalue of K_e -+ L1), to 1e-8.
TEST_F(StableSteps, limit_is_that_of_the_eigenvalues) {
  const std::vector<ContactRow> one{at(0.05, 0.05, 0.1)},
      two{at(0.05, 0.05, 0.1), at(0.0125, 0.0375, 0.1)};
  for (const auto& rows : {one, two}) {
    for (const int m : {1, 5, 10, 20, 30}) {
      const Eigen::MatrixXd K = spring(rows, m), L = block_.eigenvalues.head(m).asDiagonal();
      const auto largest = [](const Eigen::MatrixXd& A) {
        return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues().tail(1)[0];
      };
      const double implicit = 2.0 / std::sqrt(largest(K - L)),
                   symplectic = 2.0 / std::sqrt(largest(K + L));
      EXPECT_NEAR(limit(rows, m, {}, ModalIntegrator::kImplicit), implicit, 1e-8 * implicit);
      EXPECT_NEAR(limit(rows, m, {}, ModalIntegrator::kSymplectic), symplectic, 1e-8 * symplectic);
    }
  }
}

/// The body's motion grows 2 % above the limit and not 2 % below it, damped and not.
TEST_F(StableSteps, measured_limit_is_within_two_percent) {
  const std::vector<ContactRow> rows{at(0.05, 0.05, 0.1), at(0.0125, 0.0375, 0.1)};
  for (const ModalIntegrator integrator :
       {ModalIntegrator::kImplicit, ModalIntegrator::kSymplectic}) {
    for (const RayleighDamping damping : {RayleighDamping{}, RayleighDamping{1.0, 0.002}}) {
      for (const std::size_t m : {1, 10, 30}) {
        const double h = limit(rows, int(m), damping, integrator);
        CondensedDynamicsSettings settings{.coupling = ModalCoupling::kStaticsDriveDynamics,
                                           .integrator = integrator,
                                           .modes = m,
                                           .damping = damping};
        settings.dt = 0.98 * h;
        EXPECT_TRUE(decays(rows, settings)) << m << ' ' << h << ' ' << damping.beta;
        settings.dt = 1.02 * h;
        EXPECT_FALSE(decays(rows, settings)) << m << ' ' << h << ' ' << damping.beta;
        settings.coupling = ModalCoupling::kMultipliers;
        settings.integrator = ModalIntegrator::kImplicit;
        settings.dt = 100.0 * h;
        EXPECT_TRUE(decays(rows, settings));
      }
    }
  }
}

/// One mode and one contact row of a made-up body: the closed form with damping, and no limit where
/// the contact is softer than the mode. A pivot is zero at 1e-10 of the largest compliance,
/// which is 5,000 times the smallest: 5e-7 of the pivot.
TEST(StabilityLimit, closed_form_of_one_damped_mode) {
  for (const double k : {100.0, 900.0}) {
    for (const RayleighDamping damping : {RayleighDamping{}, RayleighDamping{3.0, 0.001}}) {
      for (const double stiffness : {50.0, 400.0, 5000.0}) {
        // Three rows; only the first sees the mode: K_e = 1 / S2_00.
        const double S2[9] = {1.0 / stiffness, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        const double x[3] = {1.0, 0.0, 0.0};
        const ContactSystem system{{S2, 3, 3}, x, 3, 1.0 + 1.0 / k};
        StabilityLimit limit(std::span(&k, 1), damping, ModalIntegrator::kImplicit, 1);
        const double d = damping.alpha + damping.beta * k, excess = stiffness - k;
        const double expected =
            excess <= 0.0 ? kInfinite
                          : (2.0 * d + std::sqrt(4.0 * d * d + 16.0 * excess)) / (2.0 * excess);
        if (expected == kInfinite) {
          EXPECT_EQ(limit.largest_step(system), kInfinite);
          EXPECT_TRUE(limit.stable(system, 1e6));
        } else {
          EXPECT_NEAR(limit.largest_step(system), expected, 1e-6 * expected);
          EXPECT_TRUE(limit.stable(system, 0.999 * expected));
          EXPECT_FALSE(limit.stable(system, 1.001 * expected));
        }
      }
    }
  }
}

/// A second contact at the same place changes nothing: rank 3 of 6, the limit of one. A second one
/// elsewhere lowers it.
TEST_F(StableSteps, redundant_contacts_have_the_limit_of_the_others) {
  const ContactRow row = at(0.05, 0.05, 0.1);
  const double one = limit({row}, 20, {}, ModalIntegrator::kImplicit);
  EXPECT_NEAR(limit({row, row}, 20, {}, ModalIntegrator::kImplicit), one, 1e-6 * one);
  EXPECT_LT(limit({row, at(0.1, 0.1, 0.1)}, 20, {}, ModalIntegrator::kImplicit), one);
}

TEST(StabilityLimit, infeasible_contacts_have_no_stable_step) {
  const CondensedBlock block({.edge_count = 2, .keep_interior = true});
  const CondensedModel model = block.model();
  const ContactRow row = row_of_vertex(model, block.vertex_at(0.05, 0.05, 0.1));
  for (const std::size_t m : {51, 52}) {
    ContactCompliance contacts(model, m, 1);
    ASSERT_TRUE(contacts.add(row));
    StabilityLimit limit(model.eigenvalues.first(m), {}, ModalIntegrator::kImplicit, 1);
    EXPECT_EQ(limit.feasible(system_of(contacts)), m == 51);
    EXPECT_EQ(limit.largest_step(system_of(contacts)) > 0.0, m == 51);
    EXPECT_EQ(limit.stable(system_of(contacts), 1e-6), m == 51);
  }
  EXPECT_EQ(worst_single_contact(model, 52, {}, ModalIntegrator::kImplicit).step, 0.0);
}

/// Below 200 random points, which come near it: it is a bound, and not a loose one.
TEST_F(StableSteps, worst_single_contact_bounds_every_point_of_the_surface) {
  const WorstContact worst = worst_single_contact(model_, 10, {}, ModalIntegrator::kImplicit);
  const ContactRow there = row_in_triangle(model_, worst.triangle, worst.barycentric);
  EXPECT_NEAR(worst.step, limit({there}, 10, {}, ModalIntegrator::kImplicit), 1e-8 * worst.step);
  double smallest = kInfinite;
  unsigned random = 3;
  const auto next = [&] {
    random = 1664525u * random + 1013904223u;
    return double(random >> 8) / double(1u << 24);
  };
  for (int i = 0; i < 200; ++i) {
    const double a = std::sqrt(next()), b = next();
    const std::array<double, 3> point{1.0 - a, a * (1.0 - b), a * b};
    const ContactRow row =
        row_in_triangle(model_, std::size_t(next() * double(model_.triangle_count())), point);
    if (row.free_share() < 0.05) continue;
    smallest = std::min(smallest, limit({row}, 10, {}, ModalIntegrator::kImplicit));
  }
  EXPECT_LE(worst.step, 1.0001 * smallest);
  EXPECT_GT(worst.step, 0.8 * smallest);
}

TEST_F(StableSteps, the_check_of_a_set_does_not_allocate) {
  ContactCompliance contacts(model_, 10, 2);
  StabilityLimit limit(model_.eigenvalues.first(10), {}, ModalIntegrator::kImplicit, 2);
  const ContactRow row = at(0.05, 0.05, 0.1), other = at(0.1, 0.05, 0.1);
  const NoAllocation guard;
  ASSERT_TRUE(contacts.add(row));
  ASSERT_TRUE(contacts.add(other));
  EXPECT_TRUE(limit.stable(system_of(contacts), 0.01));
  EXPECT_TRUE(limit.feasible(system_of(contacts)));
  EXPECT_GT(limit.largest_step(system_of(contacts)), 0.01);
}

TEST_F(StableSteps, without_modes_every_step_is_stable) {
  EXPECT_EQ(limit({at(0.05, 0.05, 0.1)}, 0, {}, ModalIntegrator::kImplicit), kInfinite);
  EXPECT_EQ(limit({at(0.05, 0.05, 0.1)}, 0, {}, ModalIntegrator::kSymplectic), kInfinite);
}

}  // namespace
}  // namespace haptic::condensed
