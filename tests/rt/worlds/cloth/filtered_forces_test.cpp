#include "rt/worlds/cloth/filtered_forces.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

Vector3 sum(std::span<const double> vectors) {
  Vector3 total = Vector3::Zero();
  for (std::size_t i = 0; i < vectors.size() / 3; ++i) total += at(vectors, i);
  return total;
}

Vector3 torque(const ParticleVectors& x, std::span<const double> forces) {
  Vector3 total = Vector3::Zero();
  for (std::size_t i = 0; i < forces.size() / 3; ++i) {
    total += Vector3(at(x, i)).cross(Vector3(at(forces, i)));
  }
  return total;
}

SampleCloth crumpled(ClothSurroundings surroundings = weightless()) {
  SampleCloth cloth = square_cloth(8, 0.1, cloth_materials(100.0), std::move(surroundings));
  disturb(cloth.state.x, 0.03, 5);
  disturb(cloth.state.v, 0.3, 6);
  return cloth;
}

TEST(FilteredForces, the_filter_is_symmetric_and_its_rows_sum_to_one) {
  SampleCloth cloth = crumpled();
  FilteredForces filtered(cloth.system, 0.02);
  const std::size_t n = cloth.system.size();
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      row += filtered.filter()[i * n + j];
      EXPECT_NEAR(filtered.filter()[i * n + j], filtered.filter()[j * n + i], 1e-12);
      EXPECT_GE(filtered.filter()[i * n + j], 0.0);
    }
    EXPECT_NEAR(row, 1.0, 1e-12);
  }
  ASSERT_EQ(filtered.step(cloth.state), ClothStepResult::kOk);
  double size = 0.0;
  for (const double force : filtered.filtered()) size += std::abs(force);
  EXPECT_LT(sum(filtered.filtered()).norm(), 1e-12 * size);
  EXPECT_LT(sum(filtered.correction()).norm(), 1e-12 * size);
}

/// Without F_c the step is that of (M - h^2 H) dv = h (f + h H v): the viscosity has the stiffness
/// k, and not the printed k_d, which is 0 here.
TEST(FilteredForces, the_filtered_step_is_the_linear_implicit_one) {
  const double h = 0.01;
  SampleCloth cloth = crumpled();
  cloth.system.constraints().pin(0, at(cloth.state.x, 0));  // no correction with a pin
  at(cloth.state.v, 0).setZero();
  DenseSystem dense(cloth, h);
  dense.A.row(0).setZero();
  dense.A.col(0).setZero();
  dense.A(0, 0) = 1.0;
  dense.right.row(0).setZero();
  const Eigen::MatrixXd exact = dense.A.ldlt().solve(dense.right);
  const ParticleVectors v = cloth.state.v;
  FilteredForces filtered(cloth.system, h);
  ASSERT_EQ(filtered.step(cloth.state), ClothStepResult::kOk);
  double largest = 0.0, viscous = 0.0;
  for (std::size_t i = 0; i < cloth.system.size(); ++i) {
    const Vector3 change = at(cloth.state.v, i) - at(v, i);
    largest = std::max(largest, (change - exact.row(Eigen::Index(i)).transpose()).norm());
    viscous = std::max(viscous, change.norm());
  }
  EXPECT_LT(largest, 1e-12 * viscous);
}

TEST(FilteredForces, the_correction_takes_the_torque_out) {
  SampleCloth cloth = crumpled();
  FilteredForces filtered(cloth.system, 0.02);
  for (int k = 0; k < 20; ++k) {
    const ParticleVectors x = cloth.state.x;
    ASSERT_EQ(filtered.step(cloth.state), ClothStepResult::kOk);
    const Vector3 made = torque(x, filtered.filtered());
    const Vector3 taken = torque(x, filtered.correction());
    EXPECT_GT(made.norm(), 1e-6);
    EXPECT_LT((made + taken).norm(), 1e-10 * made.norm());
    // With dT = sum x_i ^ F_i, the printed second form, the correction has the other sign.
    EXPECT_GT((made - taken).norm(), 1.99 * made.norm());
    // With the printed gains, 1 and h, and without J_G, most of the torque stays or it is too much.
    Vector3 centre = Vector3::Zero(), printed = Vector3::Zero();
    for (std::size_t i = 0; i < cloth.system.size(); ++i) centre += at(x, i) / 64.0;
    for (std::size_t i = 0; i < cloth.system.size(); ++i) {
      const Vector3 r = Vector3(at(x, i)) - centre;
      printed += r.cross(Vector3((-r).cross(-made)));
    }
    EXPECT_GT((made + printed).norm(), made.norm());
    EXPECT_GT((made + 0.02 * printed).norm(), 0.5 * made.norm());
  }
}

/// In a step x(t+h) x v(t+h) = x(t) x v(t+h), so the angular momentum changes by h times the
/// torque.
TEST(FilteredForces, a_free_cloth_keeps_its_angular_momentum) {
  SampleCloth cloth = crumpled();
  FilteredForces filtered(cloth.system, 5e-3);
  const double m = cloth.system.masses()[0];
  const Vector3 before = m * torque(cloth.state.x, cloth.state.v);
  ASSERT_EQ(run(filtered, cloth.state, 100), 100);
  EXPECT_LT((m * torque(cloth.state.x, cloth.state.v) - before).norm(), 1e-10 * before.norm());
}

TEST(FilteredForces, a_free_cloth_keeps_its_momentum) {
  SampleCloth cloth = crumpled();
  const Vector3 before = momentum(cloth.system, cloth.state.v);
  FilteredForces filtered(cloth.system, 5e-3);
  {
    NoAllocation guard;
    ASSERT_EQ(run(filtered, cloth.state, 1000), 1000);
  }
  EXPECT_LT((momentum(cloth.system, cloth.state.v) - before).norm(), 1e-10 * before.norm());
}

TEST(FilteredForces, a_stiff_cloth_hangs_at_steps_beyond_the_explicit_limit) {
  SampleCloth cloth = square_cloth(8, 0.1, cloth_materials(1e3));
  for (const std::uint32_t i : border_corners(cloth.mesh, GridBorder::kTop)) {
    cloth.system.constraints().pin(i, at(cloth.state.x, i));
  }
  const Vector3 corner = at(cloth.state.x, 63);
  FilteredForces filtered(cloth.system, 5e-3);
  ASSERT_EQ(run(filtered, cloth.state, 2000), 2000);
  EXPECT_EQ(at(cloth.state.x, 63), corner);
  EXPECT_LT(cloth.state.x[2], -0.3);
  EXPECT_GT(cloth.state.x[2], -1.0);
}

TEST(FilteredForces, other_pins_than_those_of_the_filter_are_stale) {
  SampleCloth cloth = crumpled();
  FilteredForces filtered(cloth.system, 5e-3);
  cloth.system.constraints().pin(3, at(cloth.state.x, 3));
  const ParticleVectors x = cloth.state.x;
  EXPECT_EQ(filtered.step(cloth.state), ClothStepResult::kStale);
  EXPECT_EQ(cloth.state.x, x);
  filtered.rebuild();
  EXPECT_EQ(filtered.step(cloth.state), ClothStepResult::kOk);
  EXPECT_EQ(at(cloth.state.x, 3), at(x, 3));
  EXPECT_EQ(filtered.filter()[3 * 64 + 3], 1.0);
}

TEST(FilteredForces, masses_that_differ_and_too_many_particles_are_refused) {
  ClothSystem unequal({1.0, 2.0}, one_spring(1.0, 1.0), {}, {});
  EXPECT_THROW(FilteredForces(unequal, 0.01), InputError);
  ClothSystem many(std::vector<double>(4097, 1.0), Springs{}, {}, {});
  EXPECT_THROW(FilteredForces(many, 0.01), InputError);
}

/// By counting: a step reads every value of the filter once.
TEST(FilteredForces, work_grows_with_the_square_of_the_particles) {
  for (const std::uint32_t side : {5u, 10u, 20u}) {
    SampleCloth cloth = square_cloth(side, 0.1, cloth_materials(100.0));
    const FilteredForces filtered(cloth.system, 5e-3);
    EXPECT_EQ(filtered.filter().size(), side * side * side * side);
    // None of them is small enough to be left out: the filter is dense.
    std::size_t other_than_zero = 0;
    for (const double value : filtered.filter()) other_than_zero += value != 0.0 ? 1 : 0;
    EXPECT_EQ(other_than_zero, filtered.filter().size());
  }
}

}  // namespace
}  // namespace haptic::cloth
