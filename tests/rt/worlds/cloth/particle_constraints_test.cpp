#include "rt/worlds/cloth/particle_constraints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

TEST(ParticleConstraints, filtered_velocities_are_those_of_the_plane_and_of_the_line) {
  const std::vector<double> masses(2, 1.0);
  ParticleConstraints constraints(masses);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    const Vector3 n = Vector3(normal(random), normal(random), normal(random)).normalized();
    constraints.keep_in_plane(0, Vector3::Zero(), n);
    constraints.keep_on_line(1, Vector3::Zero(), n);
    ParticleVectors v(6);
    for (double& value : v) value = normal(random);
    const Vector3 free = at(v, 0);
    constraints.filter(v);
    EXPECT_LT(std::abs(at(v, 0).dot(n)), 1e-14 * free.norm() + 1e-15);
    EXPECT_LT((at(v, 1) - at(v, 1).dot(n) * n).norm(), 1e-14 * at(v, 1).norm() + 1e-15);
    // Errata: v_p = v - v_n, and not v_n - v.
    EXPECT_GT(at(v, 0).dot(free), -1e-15);
  }
}

/// In every integrator a particle stays in its plane, one on its line, under any forces.
TEST(ParticleConstraints, particles_stay_in_their_plane_and_on_their_line) {
  for (const Explicit method : kExplicit) {
    SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(20.0, 0.05));
    const Vector3 n = Vector3(1.0, 2.0, 3.0).normalized(), d = Vector3(0.0, 3.0, -4.0) / 5.0;
    const Vector3 in_plane = at(cloth.state.x, 12), on_line = at(cloth.state.x, 7);
    cloth.system.constraints().pin(0, at(cloth.state.x, 0));
    cloth.system.constraints().keep_in_plane(12, in_plane, n);
    cloth.system.constraints().keep_on_line(7, on_line, d);
    const auto integrator = make_explicit(method, cloth.system, 1e-3);
    for (int k = 0; k < 300; ++k) {
      ASSERT_EQ(integrator->step(cloth.state), ClothStepResult::kOk);
      const Vector3 moved = at(cloth.state.x, 12) - in_plane,
                    along = at(cloth.state.x, 7) - on_line;
      EXPECT_LT(std::abs(moved.dot(n)), 1e-15);
      EXPECT_LT((along - along.dot(d) * d).norm(), 1e-15);
    }
    EXPECT_GT((at(cloth.state.x, 12) - in_plane).norm(), 0.01);
    EXPECT_GT((at(cloth.state.x, 7) - on_line).norm(), 0.01);
  }
}

TEST(ParticleConstraints, pin_sets) {
  const ClothMesh mesh = make_grid({15, 20}, 4.0, 5.0);
  EXPECT_EQ(grid_corners(mesh), (std::vector<std::uint32_t>{0, 14, 285, 299}));
  EXPECT_EQ(grid_border(mesh, GridBorder::kTop).size(), 15u);
  EXPECT_EQ(grid_border(mesh, GridBorder::kTop).front(), 285u);
  EXPECT_EQ(grid_border(mesh, GridBorder::kBottom).back(), 14u);
  EXPECT_EQ(grid_border(mesh, GridBorder::kLeft).size(), 20u);
  EXPECT_EQ(grid_border(mesh, GridBorder::kRight)[1], 29u);
  EXPECT_EQ(border_corners(mesh, GridBorder::kTop), (std::vector<std::uint32_t>{285, 299}));
  EXPECT_EQ(border_corners(mesh, GridBorder::kRight), (std::vector<std::uint32_t>{14, 299}));
  ClothMesh other = mesh;
  other.grid.reset();
  EXPECT_THROW(grid_corners(other), InputError);
}

TEST(ParticleConstraints, a_grabbed_particle_is_at_the_target_and_flies_on_when_released) {
  for (const Explicit method : kExplicit) {
    SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(20.0, 0.05), weightless());
    ParticleConstraints& constraints = cloth.system.constraints();
    const Vector3 start = at(cloth.state.x, 24), velocity(0.3, 0.1, 0.5);
    const auto integrator = make_explicit(method, cloth.system, 1e-3);
    NoAllocation guard;
    constraints.follow(24, start, start);
    for (int k = 1; k <= 100; ++k) {
      const Vector3 target = start + 1e-3 * k * velocity;
      constraints.set_target(24, target);
      ASSERT_EQ(integrator->step(cloth.state), ClothStepResult::kOk);
      EXPECT_EQ(at(cloth.state.x, 24), target);
      if (k > 1) {
        EXPECT_LT((at(cloth.state.v, 24) - velocity).norm(), 1e-10);
      }
    }
    constraints.release(24);
    integrator->restart();
    ASSERT_EQ(integrator->step(cloth.state), ClothStepResult::kOk);
    // It goes on with the target's velocity; the stretched cloth pulls it back: two springs of 20
    // N/m and a diagonal one on 1.3 g change it by less than a fifth in one step.
    EXPECT_LT((at(cloth.state.v, 24) - velocity).norm(), 0.2 * velocity.norm());
    const Vector3 released = at(cloth.state.x, 24);
    ASSERT_EQ(run(*integrator, cloth.state, 300), 300);
    EXPECT_GT((at(cloth.state.x, 24) - released).dot(velocity.normalized()), 0.05);
    EXPECT_GT((at(cloth.state.v, 24) - velocity).norm(), 0.01);
    EXPECT_GT(momentum(cloth.system, cloth.state.v).dot(velocity), 0.0);
  }
}

TEST(ParticleConstraints, any_order_of_holds_and_releases_leaves_the_list_right) {
  const std::vector<double> masses{1.0, 2.0, 4.0, 8.0, 16.0};
  ParticleConstraints constraints(masses);
  std::mt19937 random(3);
  std::vector<bool> held(5);
  for (int k = 0; k < 2000; ++k) {
    const std::size_t i = random() % 5;
    const auto what = random() % 5;
    held[i] = what != 0;
    if (what == 0) constraints.release(i);
    if (what == 1) constraints.pin(i, Vector3::Ones());
    if (what == 2) constraints.keep_in_plane(i, Vector3::Zero(), Vector3::UnitX());
    if (what == 3) constraints.keep_on_line(i, Vector3::Zero(), Vector3::UnitX());
    if (what == 4) constraints.follow(i, Vector3::Zero(), Vector3::Zero());
    const bool fixed = what == 1 || what == 4;
    EXPECT_EQ(constraints.inverse_masses()[i], fixed ? 0.0 : 1.0 / masses[i]);
    ParticleVectors v(15, 1.0);
    constraints.filter(v);
    std::size_t count = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(at(v, j) == Vector3::Ones(), !held[j]);
      count += held[j] ? 1 : 0;
    }
    EXPECT_EQ(constraints.count(), count);
  }
}

}  // namespace
}  // namespace haptic::cloth
