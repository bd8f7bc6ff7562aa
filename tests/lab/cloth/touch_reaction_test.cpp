#include "lab/cloth/touch_reaction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/samples/touch_sheets.h"
#include "rt/worlds/cloth/touch/touch_force.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

constexpr double kSpring = 500.0;  // N/m

TEST(TouchReaction, force_and_torque_on_the_particles_are_those_of_the_reaction) {
  cloth::TouchSheet sheet(9, 0.02);
  // A valley, so that two triangles hold.
  for (std::size_t i = 0; i < 81; ++i) sheet.x[3 * i + 2] = 0.7 * std::abs(sheet.x[3 * i]);
  cloth::Touch touch(sheet.mesh, {.radius = 1e-4, .friction = 0.3});
  const cloth::TouchForce spring(sheet.mesh.triangles, 81, kSpring, cloth::ForceShading::kSubProxy);
  TouchReaction reaction(81);
  ASSERT_TRUE(touch.god.place({0.002, 0.0, 0.05}, sheet.x));
  Vector3 mean = Vector3::Zero(), torque = Vector3::Zero();
  int two = 0;
  for (int i = 0; i < 10; ++i) {
    const Vector3 device(0.003 - 0.001 * i, 0.003 * i, -0.02);
    touch.god.move_to(device, sheet.x);
    const Vector3 force = spring.force(touch.god, device, sheet.x);
    {
      NoAllocation guard;
      reaction.add(touch.god, force, kSpring, 1e-3);
    }
    mean -= 0.1 * force;
    torque -= 0.1 * touch.god.position().cross(force);
    two += touch.god.contacts().size() == 2;
  }
  EXPECT_GT(two, 3);
  cloth::ParticleVectors f(3 * 81, 0.0);
  reaction.take(f);
  Vector3 sum = Vector3::Zero(), moment = Vector3::Zero();
  for (std::size_t i = 0; i < 81; ++i) {
    sum += cloth::at(f, i);
    moment += cloth::at(sheet.x, i).cross(cloth::at(f, i));
  }
  EXPECT_LT((sum - mean).norm(), 1e-12 * mean.norm());
  // The touched points are a radius from the god-object.
  EXPECT_LT((moment - torque).norm(), 3.0 * 1e-4 * mean.norm());
  // Taken once.
  cloth::ParticleVectors again(3 * 81, 0.0);
  reaction.take(again);
  EXPECT_EQ(again, cloth::ParticleVectors(3 * 81, 0.0));
}

TEST(TouchReaction, one_contact_gives_the_torque_at_the_touched_point_exactly) {
  cloth::TouchSheet sheet(5, 0.02);
  cloth::Touch touch(sheet.mesh);
  ASSERT_TRUE(touch.god.place({0.003, 0.004, 0.01}, sheet.x));
  const Vector3 device(0.003, 0.004, -0.01);
  touch.god.move_to(device, sheet.x);
  TouchReaction reaction(25);
  const Vector3 force = kSpring * (touch.god.position() - device);
  reaction.add(touch.god, force, kSpring, 0.002);
  cloth::ParticleVectors f(75, 0.0);
  reaction.take(f);
  Vector3 moment = Vector3::Zero();
  for (std::size_t i = 0; i < 25; ++i) moment += cloth::at(sheet.x, i).cross(cloth::at(f, i));
  EXPECT_LT((moment + Vector3(0.003, 0.004, 0.0).cross(force)).norm(), 1e-14);
  // Force for half of the step only: half the mean.
  reaction.add(touch.god, force, kSpring, 0.001);
  touch.god.move_to({0.003, 0.004, 0.02}, sheet.x);
  reaction.add(touch.god, Vector3::Zero(), kSpring, 0.001);
  cloth::ParticleVectors half(75, 0.0);
  reaction.take(half);
  for (std::size_t i = 0; i < 75; ++i) EXPECT_NEAR(half[i], 0.5 * f[i], 1e-14);
}

}  // namespace
}  // namespace haptic::lab
