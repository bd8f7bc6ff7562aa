#include "rt/dynamics/explicit_step_limit.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "lab/samples/random_energy.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// Two energy rows and two mass rows, all positive definite.
struct Rows {
  explicit Rows(std::uint32_t r) {
    rows.dimension = r;
    rows.groups.resize(1);
    for (std::uint32_t seed : {1u, 2u}) {
      const StrainLikeCoefficients part(r, 0.3, seed);
      rows.energy.push_back(ReducedEnergy::layout(r, part.quadratic, part.cubic, part.quartic));
      stiffness.push_back(Response(part.energy(), Eigen::VectorXd::Zero(r)).stiffness);
      const Eigen::MatrixXd half = Eigen::MatrixXd::Random(r, r);
      mass.push_back(half * half.transpose() + 0.1 * Eigen::MatrixXd::Identity(r, r));
      rows.mass.emplace_back(mass.back().data(), mass.back().data() + mass.back().size());
    }
  }
  double largest_frequency(const Eigen::Vector2d& weights, const Eigen::Vector2d& densities) const {
    const Eigen::MatrixXd K = weights[0] * stiffness[0] + weights[1] * stiffness[1];
    const Eigen::MatrixXd M = densities[0] * mass[0] + densities[1] * mass[1];
    return std::sqrt(
        Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(K, M, Eigen::EigenvaluesOnly)
            .eigenvalues()
            .maxCoeff());
  }

  MaterialRows rows;
  std::vector<Eigen::MatrixXd> stiffness, mass;
};

TEST(ExplicitStepLimit, is_two_over_the_largest_frequency) {
  for (const std::uint32_t r : {1u, 6u, 20u}) {
    const Rows body(r);
    for (const Eigen::Vector2d& weights : {Eigen::Vector2d(1.0, 1.0), Eigen::Vector2d(7.0, 0.2)}) {
      for (const Eigen::Vector2d& densities :
           {Eigen::Vector2d(1.0, 2.0), Eigen::Vector2d(0.1, 9.0)}) {
        const double largest = 2.0 / body.largest_frequency(weights, densities);
        // Rounding of the two factorisations, far below what they decide about.
        for (const double fraction : {1.0 - 1e-9, 1.0 + 1e-9}) {
          ExplicitStepLimit limit(body.rows, fraction * largest);
          NoAllocation guard;
          const bool stable = limit.stable({weights.data(), 2}, {densities.data(), 2});
          EXPECT_EQ(stable, fraction < 1.0) << "r = " << r;
        }
      }
    }
  }
}

TEST(ExplicitStepLimit, without_groups_the_mass_is_a_factor) {
  const StrainLikeCoefficients whole(5, 0.3);
  MaterialRows rows;
  rows.dimension = 5;
  rows.energy.push_back(ReducedEnergy::layout(5, whole.quadratic, whole.cubic, whole.quartic));
  const Eigen::MatrixXd K = Response(whole.energy(), Eigen::VectorXd::Zero(5)).stiffness;
  const double w =
      std::sqrt(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K).eigenvalues().maxCoeff());
  ExplicitStepLimit limit(rows, 2.0 / w);
  const double one = 1.0, more = 1.001, less = 0.999;
  EXPECT_TRUE(limit.stable({&less, 1}, {&one, 1}));
  EXPECT_FALSE(limit.stable({&more, 1}, {&one, 1}));
  EXPECT_TRUE(limit.stable({&one, 1}, {&more, 1}));
  EXPECT_FALSE(limit.stable({&one, 1}, {&less, 1}));
}

}  // namespace
}  // namespace haptic
