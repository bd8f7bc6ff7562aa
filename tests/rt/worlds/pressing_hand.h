#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rt/servo/two_rate_world.h"

namespace haptic {

/// A hand of little mass and damping, held by a weak spring, that presses with 1.5 N and for a
/// second slides from side to side.
struct PressingHand {
  static constexpr double kPeriod = 0.25e-3;  // of the servo [s]
  double mass, damping;                       ///< kg, N s/m
  int cycles = 4;                             // of the servo in a world step
  /// Half of the coupling's stiffness times the servo's period: what a sampled spring asks of the
  /// damping of the hand [N s/m]; counts as received by the port.
  double sampled = 0.0;
  double energy = 0.0, least_energy = 0.0;  // that the port has received [J]
  double largest_speed = 0.0;               // m/s
  double last_speed = 0.0;                  // largest of the last 0.5 s [m/s]
  double least_force = 0.0;                 // along y [N]
};
inline PressingHand press(World& world, PressingHand hand, double seconds) {
  constexpr double kPeriod = PressingHand::kPeriod;
  TwoRateWorld::Settings at_rate;
  at_rate.cycles_per_step = static_cast<std::uint32_t>(hand.cycles);
  at_rate.world_rate_hz = 1.0 / (kPeriod * hand.cycles);
  TwoRateWorld servo(world, at_rate, nullptr);
  WorldOutput output;
  Vector3 x = Vector3::Zero(), v = Vector3::Zero();
  const int cycles = static_cast<int>(seconds / kPeriod);
  for (int i = 0; i < cycles; ++i) {
    DeviceState device;
    device.pose.position = x;
    device.twist.linear = v;
    EXPECT_EQ(servo.step(device, output), WorldStatus::kOk);
    const Vector3 force = output.device_wrench.force;
    const double t = i * kPeriod;
    Vector3 push(0.0, t < 0.1 ? 0.0 : -1.5, 0.0);
    if (t > 1.0 && t < 2.0) push += Vector3(1.2 * std::sin(6.0 * t), 0.0, 0.5);
    constexpr int kParts = 10;
    for (int part = 0; part < kParts; ++part) {
      v += kPeriod / kParts / hand.mass * (force - hand.damping * v - 5.0 * x + push);
      x += kPeriod / kParts * v;
      hand.energy -= kPeriod / kParts * (force.dot(v) - hand.sampled * v.squaredNorm());
    }
    hand.least_energy = std::min(hand.least_energy, hand.energy);
    hand.largest_speed = std::max(hand.largest_speed, v.norm());
    hand.least_force = std::min(hand.least_force, force.y());
    if (i * kPeriod > seconds - 0.5) hand.last_speed = std::max(hand.last_speed, v.norm());
  }
  return hand;
}

}  // namespace haptic
