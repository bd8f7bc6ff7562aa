#include "rt/worlds/cloth/imex_euler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// A cloth of structural springs alone, two corners pinned, crumpled.
SampleCloth structural_cloth(double damping) {
  SpringMaterials materials = cloth_materials(0.0);
  materials[0] = {.stiffness = 50.0, .damping = damping, .bending = 0.0};
  SampleCloth cloth = square_cloth(5, 0.1, materials);
  for (const std::uint32_t i : border_corners(cloth.mesh, GridBorder::kTop)) {
    cloth.system.constraints().pin(i, at(cloth.state.x, i));
  }
  disturb(cloth.state.x, 0.01, 4);
  cloth.system.constraints().project(cloth.state.x, cloth.state.v, 1.0);
  return cloth;
}

template <class Integrator, class... Arguments>
Eigen::VectorXd end_at(SampleCloth cloth, double end, int steps, Arguments... arguments) {
  Integrator integrator(cloth.system, end / steps, arguments...);
  EXPECT_EQ(run(integrator, cloth.state, steps), steps);
  return as_vector(cloth.state.x);
}

TEST(ImexEuler, converges_to_rk4_with_order_one) {
  for (const double damping : {0.0, 0.02}) {
    const SampleCloth cloth = structural_cloth(damping);
    const Eigen::VectorXd exact =
        end_at<RungeKutta>(cloth, 0.03, 1500, RungeKuttaMethod::kRungeKutta4);
    const double coarse = (end_at<ImexEuler>(cloth, 0.03, 1500) - exact).norm();
    const double fine = (end_at<ImexEuler>(cloth, 0.03, 3000) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 1.0, 0.1);
    EXPECT_LT(fine, 2e-3);
  }
}

TEST(ImexEuler, stiff_structural_springs_take_steps_that_explicit_ones_cannot) {
  SpringMaterials materials = cloth_materials(5.0, 0.001);
  materials[0] = {.stiffness = 1e3, .damping = 0.01, .bending = 0.0};
  SampleCloth cloth = square_cloth(8, 0.1, materials);
  cloth.system.surroundings().air.drag = 1e-3;
  for (const std::uint32_t i : border_corners(cloth.mesh, GridBorder::kTop)) {
    cloth.system.constraints().pin(i, at(cloth.state.x, i));
  }
  SampleCloth other = cloth;
  disturb(other.state.x, 1e-4, 1);
  ImexEuler imex(cloth.system, 2e-3);
  VelocityVerlet verlet(other.system, 2e-3);
  {
    NoAllocation guard;
    ASSERT_EQ(run(imex, cloth.state, 3000), 3000);
  }
  EXPECT_LT(run(verlet, other.state, 3000), 3000);
  // It hangs, and its threads have their length: the load of all particles stretches one by 1 mm.
  EXPECT_LT(cloth.state.x[2], -0.2);
  const Springs& springs = cloth.system.springs().springs();
  for (std::size_t s = 0; s < springs.count(SpringKind::kStructural); ++s) {
    const double length =
        (at(cloth.state.x, springs.first[s]) - at(cloth.state.x, springs.second[s])).norm();
    EXPECT_LT(length, 1.02 * springs.rest[s]);
  }
}

TEST(ImexEuler, pins_may_come_and_go_and_a_target_is_followed) {
  SampleCloth cloth = structural_cloth(0.05);
  ParticleConstraints& constraints = cloth.system.constraints();
  ImexEuler imex(cloth.system, 2e-3);
  ASSERT_EQ(run(imex, cloth.state, 50), 50);
  const Vector3 start = at(cloth.state.x, 2);
  constraints.follow(2, start, start);
  for (int k = 1; k <= 100; ++k) {
    const Vector3 target = start + Vector3(0.0, 0.0, 2e-3 * k);
    constraints.set_target(2, target);
    ASSERT_EQ(imex.step(cloth.state), ClothStepResult::kOk);
    EXPECT_EQ(at(cloth.state.x, 2), target);
  }
  constraints.release(2);
  constraints.release(20);
  const Vector3 corner = at(cloth.state.x, 24), free = at(cloth.state.x, 20);
  ASSERT_EQ(run(imex, cloth.state, 100), 100);
  EXPECT_EQ(at(cloth.state.x, 24), corner);
  EXPECT_GT((at(cloth.state.x, 20) - free).norm(), 0.01);
}

/// A particle that moves along with the target of its neighbour feels no force, whichever is first.
TEST(ImexEuler, the_motion_of_a_target_is_in_the_solution) {
  for (const std::size_t held : {0u, 1u}) {
    ClothSystem system({1e-3, 1e-3}, one_spring(1.0, 100.0, 1.0), {}, weightless());
    ClothState state;
    state.x = {0, 0, 0, 1, 0, 0};
    state.v.assign(6, 0.0);
    const Vector3 velocity(0.2, -0.1, 0.3), start = at(state.x, held);
    at(state.v, 0) = at(state.v, 1) = velocity;
    system.constraints().follow(held, start, start);
    ImexEuler imex(system, 0.01);
    for (int k = 1; k <= 50; ++k) {
      system.constraints().set_target(held, start + 0.01 * k * velocity);
      ASSERT_EQ(imex.step(state), ClothStepResult::kOk);
      EXPECT_LT((at(state.v, 1 - held) - velocity).norm(), 1e-12);
    }
  }
}

TEST(ImexEuler, a_free_cloth_keeps_its_momentum) {
  SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(50.0, 0.05), weightless());
  disturb(cloth.state.x, 0.01, 3);
  disturb(cloth.state.v, 0.2, 4);
  const Vector3 before = momentum(cloth.system, cloth.state.v);
  ImexEuler imex(cloth.system, 1e-3);
  ASSERT_EQ(run(imex, cloth.state, 1000), 1000);
  EXPECT_LT((momentum(cloth.system, cloth.state.v) - before).norm(), 1e-10 * before.norm());
}

}  // namespace
}  // namespace haptic::cloth
