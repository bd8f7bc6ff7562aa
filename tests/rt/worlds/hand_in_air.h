#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rt/servo/two_rate_world.h"

namespace haptic {

/// A hand in the air, whose servo is faster than the world.
struct HandInAir {
  double force = 0.0, torque = 0.0;  ///< largest on the hand [N], [N m]
};

/// Goes up to 0.1 m and down again, and turns, in 0.5 s: up to 0.6 m/s and 3 rad/s.
inline HandInAir move_in_air(World& world, double rate, std::uint32_t cycles) {
  TwoRateWorld::Settings settings;
  settings.world_rate_hz = rate;
  settings.cycles_per_step = cycles;
  TwoRateWorld servo(world, settings, nullptr);
  HandInAir most;
  WorldOutput output;
  const double period = 1.0 / (rate * cycles);
  for (int i = 0; i * period < 0.5; ++i) {
    const double part = 0.5 - 0.5 * std::cos(4.0 * M_PI * i * period);
    DeviceState hand;
    hand.pose.position = Vector3(0.0, 0.1 * part, 0.0);
    hand.pose.orientation = Quaternion(Eigen::AngleAxisd(0.5 * part, Vector3::UnitZ()));
    const double speed = 2.0 * M_PI * std::sin(4.0 * M_PI * i * period);
    hand.twist = {Vector3(0.0, 0.1 * speed, 0.0), Vector3(0.0, 0.0, 0.5 * speed)};
    EXPECT_EQ(servo.step(hand, output), WorldStatus::kOk);
    most.force = std::max(most.force, output.device_wrench.force.norm());
    most.torque = std::max(most.torque, output.device_wrench.torque.norm());
  }
  return most;
}

/// Comes down at 0.3 m/s, by `way` [m].
/// @returns the lowest place of the held body before the first step with contact [m]
inline double lowest_before_contact(World& world, double rate, std::uint32_t cycles, double way) {
  TwoRateWorld::Settings settings;
  settings.world_rate_hz = rate;
  settings.cycles_per_step = cycles;
  TwoRateWorld servo(world, settings, nullptr);
  WorldOutput output;
  const double period = 1.0 / (rate * cycles);
  double lowest = 1.0;
  for (int i = 0; 0.3 * i * period < way; ++i) {
    DeviceState hand;
    hand.pose.position.y() = -0.3 * i * period;
    EXPECT_EQ(servo.step(hand, output), WorldStatus::kOk);
    if (output.contact_wrench.force.norm() > 0.0) return lowest;
    lowest = std::min(lowest, output.held_pose.position.y());
  }
  ADD_FAILURE() << "no contact";
  return lowest;
}

}  // namespace haptic
