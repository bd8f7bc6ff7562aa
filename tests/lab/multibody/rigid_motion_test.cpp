#include "lab/multibody/rigid_motion.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

RigidProperties tumbling_block() {
  RigidProperties p;
  p.mass = 2.0;
  p.inertia = Vector3(0.01, 0.02, 0.03).asDiagonal();
  return p;
}

TEST(RigidMotion, flight_keeps_the_angular_momentum) {
  const RigidProperties p = tumbling_block();
  RigidState state;
  state.angular_momentum = Vector3(0.02, 0.2, 0.01);  // about the middle axis, which tumbles
  state.momentum = Vector3(1.0, 2.0, 3.0);
  const Vector3 before = state.angular_momentum;
  const double energy = kinetic_energy(p, state);
  double turned = 0.0;
  for (int i = 0; i < 5000; ++i) {
    advance(p, Vector3::Zero(), Vector3::Zero(), 1e-3, state);
    turned = std::max(turned, rotation_logarithm(state.orientation).norm());
  }
  EXPECT_EQ(state.angular_momentum, before);  // nothing adds to it
  EXPECT_NEAR(state.orientation.norm(), 1.0, 1e-14);
  EXPECT_GT(turned, 3.0);
  // Midpoint: second order, w dt = 0.01; no drift over 5000 steps beyond that.
  EXPECT_NEAR(kinetic_energy(p, state) / energy, 1.0, 1e-4);
  EXPECT_LE((state.centre - 5.0 * Vector3(0.5, 1.0, 1.5)).norm(), 1e-10);
}

TEST(RigidMotion, turns_about_a_principal_axis_at_the_rate_of_its_momentum) {
  const RigidProperties p = tumbling_block();
  RigidState state;
  state.angular_momentum = Vector3(0.0, 0.0, 0.03);  // 1 rad/s
  for (int i = 0; i < 1000; ++i) advance(p, Vector3::Zero(), Vector3::Zero(), 1e-3, state);
  EXPECT_LE((rotation_logarithm(state.orientation) - Vector3(0.0, 0.0, 1.0)).norm(), 1e-12);
}

TEST(RigidMotion, impulses_change_the_momenta) {
  const RigidProperties p = tumbling_block();
  RigidState state;
  advance(p, Vector3(1.0, 0.0, 0.0), Vector3(0.0, 0.5, 0.0), 0.01, state);
  EXPECT_EQ(state.momentum, Vector3(0.01, 0.0, 0.0));
  EXPECT_EQ(state.angular_momentum, Vector3(0.0, 0.005, 0.0));
  EXPECT_GT(angular_velocity(p, state).y(), 0.0);
}

}  // namespace
}  // namespace haptic
