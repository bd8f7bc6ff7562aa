#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "rt/worlds/world.h"

namespace haptic {

/// Presses 350 steps long by `down` [m] each, drags by `aside` [m] each, waits to the 400th step,
/// and makes one more with the hand moved by d.
/// @returns the motion of the held body in that step
inline Vector6 motion_by_hand(World& world, double down, double aside, const Vector6& d) {
  DeviceState hand;
  WorldOutput output;
  world.reset();
  for (int i = 0; i < 400; ++i) {
    hand.pose.position.y() = -down * std::min(i, 350);
    hand.pose.position.x() = aside * i;
    EXPECT_EQ(world.step(hand, output), WorldStatus::kOk);
  }
  const Pose before = output.held_pose;
  hand.pose.position += d.head<3>();
  hand.pose.orientation = rotation_exponential(d.tail<3>()) * hand.pose.orientation;
  EXPECT_EQ(world.step(hand, output), WorldStatus::kOk);
  Vector6 z;
  z << output.held_pose.position - before.position,
      rotation_logarithm(output.held_pose.orientation * before.orientation.conjugate());
  return z;
}

/// Its derivative by d, 0.1 um or 10 urad to both sides.
inline Matrix6 slopes_by_hand(World& world, double down, double aside) {
  Matrix6 slopes;
  for (int axis = 0; axis < 6; ++axis) {
    const double step = axis < 3 ? 1e-7 : 1e-5;
    const Vector6 d = step * Vector6::Unit(axis);
    slopes.col(axis) =
        (motion_by_hand(world, down, aside, d) - motion_by_hand(world, down, aside, -d)) /
        (2.0 * step);
  }
  return slopes;
}

}  // namespace haptic
