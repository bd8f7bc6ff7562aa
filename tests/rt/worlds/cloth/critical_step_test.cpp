#include "rt/worlds/cloth/critical_step.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "lab/cloth/provot_step.h"
#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"

namespace haptic::cloth {
namespace {

/// Structural springs in a row along x, all free; mass and stiffness 1.
SampleCloth chain(std::uint32_t particles, double damping = 0.0) {
  Springs springs;
  ClothState state;
  for (std::uint32_t i = 0; i < particles; ++i) {
    state.x.insert(state.x.end(), {double(i), 0.0, 0.0});
    if (i == 0) continue;
    springs.first.push_back(i - 1);
    springs.second.push_back(i);
    springs.kind.push_back(SpringKind::kStructural);
    springs.rest.push_back(1.0);
    springs.stiffness.push_back(1.0);
    springs.damping.push_back(damping);
    springs.bending.push_back(0.0);
  }
  state.v.assign(state.x.size(), 0.0);
  return {{},
          ClothSystem(std::vector<double>(particles, 1.0), std::move(springs), {}, weightless()),
          std::move(state)};
}

/// Whether a perturbation of 1e-3 along the chain stays below 0.1 for 3000 steps.
bool stable(Explicit method, double h, const SampleCloth& of) {
  SampleCloth cloth = of;
  for (std::size_t i = 0; i < cloth.system.size(); ++i) {
    at(cloth.state.x, i).x() += (i % 2 == 0 ? 1e-3 : -1e-3) * std::sin(2.0 + double(i));
  }
  const auto integrator = make_explicit(method, cloth.system, h);
  for (int k = 0; k < 3000; ++k) {
    if (integrator->step(cloth.state) != ClothStepResult::kOk) return false;
    for (std::size_t i = 0; i < cloth.system.size(); ++i) {
      if (std::abs(at(cloth.state.x, i).x() - at(of.state.x, i).x()) > 0.1) return false;
    }
  }
  return true;
}

double largest_stable(Explicit method, const SampleCloth& cloth, double below, double above) {
  for (int k = 0; k < 9; ++k) {
    const double middle = 0.5 * (below + above);
    (stable(method, middle, cloth) ? below : above) = middle;
  }
  return below;
}

TEST(CriticalStep, provots_step_is_no_limit_of_verlet) {
  const SampleCloth cloth = chain(24);
  const double T = lab::provot_step(cloth.system);
  EXPECT_NEAR(T, std::numbers::pi, 1e-15);
  EXPECT_NEAR(largest_stable(Explicit::kVelocityVerlet, cloth, 0.5, 2.0) / T, 0.318, 0.005);
  EXPECT_NEAR(largest_stable(Explicit::kRungeKutta4, cloth, 0.5, 2.0) / T, 0.450, 0.005);
  EXPECT_TRUE(stable(Explicit::kRungeKutta4, 0.4 * T, cloth));
  EXPECT_FALSE(stable(Explicit::kVelocityVerlet, 0.4 * T, cloth));
  EXPECT_FALSE(stable(Explicit::kRungeKutta4, T, cloth));
  EXPECT_FALSE(stable(Explicit::kVelocityVerlet, T, cloth));
  EXPECT_FALSE(stable(Explicit::kEuler, 0.4 * T, cloth));
}

TEST(CriticalStep, the_computed_limits_are_those_of_the_motion) {
  const SampleCloth cloth = chain(24);
  const double verlet = verlet_step_limit(cloth.system, cloth.state.x);
  EXPECT_TRUE(stable(Explicit::kVelocityVerlet, 0.99 * verlet, cloth));
  EXPECT_FALSE(stable(Explicit::kVelocityVerlet, 1.01 * verlet, cloth));
  const double rk4 = rk4_step_limit(cloth.system, cloth.state.x);
  EXPECT_TRUE(stable(Explicit::kRungeKutta4, 0.99 * rk4, cloth));
  EXPECT_FALSE(stable(Explicit::kRungeKutta4, 1.01 * rk4, cloth));
  // A free chain of n particles: omega = 2 cos(pi / (2 n)).
  EXPECT_NEAR(2.0 / verlet, 2.0 * std::cos(std::numbers::pi / 48.0), 2e-6);
  EXPECT_NEAR(frequency_bound(cloth.system), 2.0, 1e-15);
}

/// Dampers lower the limit; with the velocity of the half step it is exact.
TEST(CriticalStep, the_limit_of_a_damped_chain_is_exact) {
  for (const double damping : {0.05, 0.2, 0.6}) {
    const SampleCloth cloth = chain(12, damping);
    const double limit = verlet_step_limit(cloth.system, cloth.state.x);
    EXPECT_LT(limit, 0.99 * verlet_step_limit(chain(12).system, cloth.state.x));
    for (const Explicit method :
         {Explicit::kVelocityVerlet, Explicit::kLeapfrog, Explicit::kBasicVerlet}) {
      EXPECT_TRUE(stable(method, 0.99 * limit, cloth)) << damping;
      EXPECT_FALSE(stable(method, 1.01 * limit, cloth)) << damping;
    }
    EXPECT_TRUE(stable(Explicit::kRungeKutta4, rk4_step_limit(cloth.system, cloth.state.x), cloth));
  }
}

TEST(CriticalStep, frequency_is_that_of_the_dense_matrix_and_below_the_bound) {
  for (const auto topology : {SpringTopology::kThreeKinds, SpringTopology::kChoiKo}) {
    SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(100.0, 0.1), weightless(), topology);
    disturb(cloth.state.x, 0.02, 5);
    cloth.system.constraints().pin(0, at(cloth.state.x, 0));
    cloth.system.constraints().keep_in_plane(9, at(cloth.state.x, 9), Vector3::UnitZ());
    Eigen::MatrixXd A = dense_matrix(cloth.system, cloth.state.x, {0.0, 0.0, 1.0});
    for (const Eigen::Index k : {0, 1, 2, 29}) {
      A.row(k).setZero();
      A.col(k).setZero();
    }
    A /= cloth.system.masses()[0];
    const double exact =
        std::sqrt(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues().maxCoeff());
    EXPECT_NEAR(largest_frequency(cloth.system, cloth.state.x), exact, 1e-5 * exact);
    EXPECT_GE(frequency_bound(cloth.system), exact);
    // Strips act one at a time, and only when short: the bound has all of them at their stiffest.
    EXPECT_LT(frequency_bound(cloth.system),
              (topology == SpringTopology::kChoiKo ? 3.0 : 2.0) * exact);
  }
}

/// A strip is stiffest in the short piece near rest where its bound acts, or at length 0.
TEST(CriticalStep, the_bound_takes_the_stiffest_length_of_a_strip) {
  for (const double bending : {1e-4, 0.1, 1e3}) {
    Springs springs = one_spring(0.5, 40.0, 0.0, SpringKind::kInterlaced);
    springs.bending = {bending};
    const ClothSystem system({2.0, 2.0}, springs, {}, weightless());
    const BucklingStrip strip(0.5, bending, 40.0);
    double stiffest = strip.at(0.5 - 1e-9).stiffness;
    EXPECT_EQ(stiffest, 40.0);
    for (double l = 0.0; l < 0.5; l += 1e-4) stiffest = std::max(stiffest, strip.at(l).stiffness);
    EXPECT_NEAR(frequency_bound(system), std::sqrt(2.0 * stiffest / 2.0), 1e-12);
    if (bending == 0.1) {
      const double arc = 12.0 * std::numbers::pi * std::numbers::pi * 0.1 / 0.125;
      EXPECT_NEAR(stiffest, arc, 1e-9 * arc);
    }
  }
}

// On a chain omega_max^2 is 4 k / m but for 1 / n^2, which is the bound.
TEST(CriticalStep, safe_steps_are_below_the_exact_ones_and_near_them) {
  for (const double damping : {0.0, 0.1, 1.0}) {
    const SampleCloth of = chain(40, damping);
    const double verlet = verlet_step_limit(of.system, of.state.x);
    const double rk4 = rk4_step_limit(of.system, of.state.x);
    EXPECT_LE(safe_verlet_step(of.system), verlet * (1.0 + 1e-6));
    EXPECT_GT(safe_verlet_step(of.system), 0.99 * verlet);
    EXPECT_LE(safe_rk4_step(of.system), rk4 * (1.0 + 1e-6));
    EXPECT_GT(safe_rk4_step(of.system), 0.99 * rk4);
  }
  ClothSystem free({2.0, 2.0}, Springs{}, {}, weightless());
  EXPECT_EQ(safe_verlet_step(free), HUGE_VAL);
  EXPECT_EQ(safe_rk4_step(free), HUGE_VAL);
  free.surroundings().air.drag = 0.5;
  EXPECT_DOUBLE_EQ(safe_verlet_step(free), 2.0 * 2.0 / 0.5);
}

TEST(CriticalStep, a_cloth_without_springs_has_no_limit_and_drag_has_its_own) {
  ClothSystem system({2.0, 2.0}, Springs{}, {}, weightless());
  const ParticleVectors x(6);
  EXPECT_EQ(verlet_step_limit(system, x), HUGE_VAL);
  EXPECT_EQ(rk4_step_limit(system, x), HUGE_VAL);
  system.surroundings().air.drag = 0.5;
  EXPECT_NEAR(verlet_step_limit(system, x), 2.0 * 2.0 / 0.5, 1e-5);
}

}  // namespace
}  // namespace haptic::cloth
