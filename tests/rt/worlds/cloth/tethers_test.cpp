#include "rt/worlds/cloth/tethers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

const SphereConstraint kUnitSphere{.particle = 0, .centre = Vector3::Zero(), .radius = 1.0};

TEST(Tethers, without_forces_the_constraint_force_is_the_centripetal_one) {
  const double m = 2.0;
  const Vector3 x(0.6, 0.8, 0.0), v = 3.0 * Vector3(-0.8, 0.6, 0.0);
  const Vector3 f = constraint_force(kUnitSphere, m, x, v, Vector3::Zero());
  EXPECT_LT((f + m * 9.0 * x).norm(), 1e-14);
  // The printed (f . x - m v . v) / (x . x) agrees only without f: a force along x it doubles.
  const Vector3 pull = 5.0 * x;
  EXPECT_LT((constraint_force(kUnitSphere, m, x, Vector3::Zero(), pull) + pull).norm(), 1e-14);
  const double printed = pull.dot(x) / x.squaredNorm();
  EXPECT_GT((pull + printed * x).norm(), 9.0);
}

/// A bead on a wire circle under gravity, 10^5 steps.
TEST(Tethers, a_bead_stays_on_its_circle_with_feedback) {
  const auto worst = [](double stiffness, double damping) {
    ClothSystem system({0.5}, Springs{}, {}, {});
    SphereConstraint sphere = kUnitSphere;
    sphere.stiffness = stiffness;
    sphere.damping = damping;
    EXPECT_TRUE(system.tethers().add(sphere));
    ClothState state;
    state.x = {1.0, 0.0, 0.0};
    state.v.assign(3, 0.0);
    RungeKutta rk4(system, 1e-3, RungeKuttaMethod::kRungeKutta4);
    NoAllocation guard;
    double largest = 0.0;
    for (int k = 0; k < 100'000; ++k) {
      EXPECT_EQ(rk4.step(state), ClothStepResult::kOk);
      largest = std::max(largest, std::abs(0.5 * (at(state.x, 0).squaredNorm() - 1.0)));
    }
    EXPECT_EQ(state.x[1], 0.0);
    return largest;
  };
  EXPECT_LT(worst(1e4, 200.0), 1e-4);
  EXPECT_LT(worst(1e4, 200.0), 1e-2 * worst(0.0, 0.0));  // without it, the errors add up
}

TEST(Tethers, a_target_spring_pulls_a_particle_and_nothing_else) {
  ClothSystem system({0.5, 0.5}, Springs{}, {}, weightless(), 2);
  const TargetSpring spring{
      .particle = 1, .target = Vector3(0.0, 0.0, 1.0), .stiffness = 8.0, .damping = 4.0};
  ASSERT_TRUE(system.tethers().add(spring));
  ClothState state;
  state.x.assign(6, 0.0);
  state.v.assign(6, 0.0);
  ParticleVectors f(6);
  system.forces(state.x, state.v, 0.0, f);
  EXPECT_EQ(f, (ParticleVectors{0, 0, 0, 0, 0, 8.0}));
  EXPECT_EQ(system.energy(state), 4.0);
  VelocityVerlet verlet(system, 1e-3);
  ASSERT_EQ(run(verlet, state, 10000), 10000);
  EXPECT_NEAR(state.x[5], 1.0, 1e-9);  // critically damped, 4 / s: e^-40
  system.tethers().springs()[0].target = Vector3(2.0, 0.0, 1.0);
  ASSERT_EQ(run(verlet, state, 10000), 10000);
  EXPECT_NEAR(state.x[3], 2.0, 1e-9);
  EXPECT_EQ(at(state.x, 0), Vector3(0.0, 0.0, 0.0));
}

TEST(Tethers, places_are_limited_and_free_again_after_a_removal) {
  Tethers tethers(2);
  EXPECT_TRUE(tethers.add(TargetSpring{.particle = 3}));
  EXPECT_TRUE(tethers.add(TargetSpring{.particle = 4}));
  EXPECT_FALSE(tethers.add(TargetSpring{.particle = 5}));
  EXPECT_TRUE(tethers.add(kUnitSphere));
  tethers.remove(3);
  ASSERT_EQ(tethers.springs().size(), 1u);
  EXPECT_EQ(tethers.springs()[0].particle, 4u);
  EXPECT_EQ(tethers.spheres().size(), 1u);
  EXPECT_TRUE(tethers.add(TargetSpring{.particle = 5}));
  tethers.remove(0);
  EXPECT_TRUE(tethers.spheres().empty());
}

}  // namespace
}  // namespace haptic::cloth
