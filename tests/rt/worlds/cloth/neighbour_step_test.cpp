#include "rt/worlds/cloth/neighbour_step.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

SampleCloth crumpled_cloth() {
  SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(100.0, 0.02));
  disturb(cloth.state.x, 0.03, 5);
  disturb(cloth.state.v, 0.3, 6);
  return cloth;
}

/// dv of one step, n x 3.
Eigen::MatrixXd change_of(SampleCloth cloth, double h) {
  const ParticleVectors v = cloth.state.v;
  NeighbourStep step(cloth.system, h);
  EXPECT_EQ(step.step(cloth.state), ClothStepResult::kOk);
  const Eigen::VectorXd change = as_vector(cloth.state.v) - as_vector(v);
  return Eigen::Map<const Eigen::MatrixXd>(change.data(), 3, change.size() / 3).transpose();
}

TEST(NeighbourStep, is_two_jacobi_sweeps_from_zero) {
  SampleCloth cloth = crumpled_cloth();
  const double h = 0.01;
  const DenseSystem dense(cloth, h);
  const Eigen::VectorXd diagonal = dense.A.diagonal();
  const Eigen::MatrixXd first = diagonal.cwiseInverse().asDiagonal() * dense.right;
  const Eigen::MatrixXd off = dense.A - Eigen::MatrixXd(diagonal.asDiagonal());
  const Eigen::MatrixXd second = diagonal.cwiseInverse().asDiagonal() * (dense.right - off * first);
  const Eigen::MatrixXd found = change_of(cloth, h);
  // dv is of the order of 1 m/s; v + dv - v loses 1e-16.
  EXPECT_LT((found - second).cwiseAbs().maxCoeff(), 1e-14 * std::max(1.0, second.norm()));
  EXPECT_GT((found - first).cwiseAbs().maxCoeff(), 1e-2 * second.cwiseAbs().maxCoeff());
}

/// Each further sweep gains a factor k h^2 / m, so two of them miss h (k h^2 / m)^2.
TEST(NeighbourStep, misses_the_dense_solution_by_the_fifth_order) {
  SampleCloth cloth = crumpled_cloth();
  const auto error = [&](double h) {
    const DenseSystem dense(cloth, h);
    return (change_of(cloth, h) - dense.A.ldlt().solve(dense.right)).norm();
  };
  EXPECT_NEAR(std::log2(error(4e-4) / error(2e-4)), 5.0, 0.2);
}

TEST(NeighbourStep, any_step_is_stable_and_momentum_is_not_exact) {
  SampleCloth cloth = square_cloth(8, 0.1, cloth_materials(1e4), weightless());
  disturb(cloth.state.x, 0.01, 3);
  const Vector3 before = momentum(cloth.system, cloth.state.v);
  NeighbourStep step(cloth.system, 0.02);
  {
    NoAllocation guard;
    ASSERT_EQ(run(step, cloth.state, 1000), 1000);
  }
  EXPECT_GT((momentum(cloth.system, cloth.state.v) - before).norm(), 1e-9);
  EXPECT_LT(cloth.system.energy(cloth.state), 1.0);
}

/// By counting: a step evaluates every spring once and passes over them twice more.
TEST(NeighbourStep, work_grows_with_the_particles) {
  std::vector<double> particles, springs;
  for (const std::uint32_t side : {32u, 100u, 316u}) {
    SampleCloth cloth = square_cloth(side, 0.1, cloth_materials(100.0));
    NeighbourStep step(cloth.system, 5e-3);
    ASSERT_EQ(run(step, cloth.state, 2), 2);
    EXPECT_EQ(cloth.system.evaluations(), 2u);
    particles.push_back(double(cloth.system.size()));
    springs.push_back(double(cloth.system.springs().springs().size()));
  }
  for (std::size_t k = 1; k < particles.size(); ++k) {
    const double slope =
        std::log(springs[k] / springs[k - 1]) / std::log(particles[k] / particles[k - 1]);
    EXPECT_NEAR(slope, 1.0, 0.1);
  }
}

}  // namespace
}  // namespace haptic::cloth
