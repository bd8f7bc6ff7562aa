#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "lab/cloth/step_interpolation.h"
#include "lab/samples/touch_sheets.h"
#include "rt/worlds/cloth/touch/god_object.h"
#include "rt/worlds/cloth/touch/touch_force.h"

namespace haptic::cloth {
namespace {

/// A recorded hand on a moving sheet at five ticks a step. @returns god-objects and forces
std::vector<double> replay() {
  TouchSheet sheet(9, 0.02);
  Touch touch(sheet.mesh, {.radius = 1e-4, .friction = 0.3});
  const TouchForce spring(sheet.mesh.triangles, 81, 500.0, ForceShading::kSubProxy);
  lab::StepInterpolation bridge(sheet.x);
  ParticleVectors now = sheet.x, before = sheet.x;
  EXPECT_TRUE(touch.god.place({0.0, 0.0, 0.03}, sheet.x));
  std::vector<double> log;
  for (int step = 0; step < 200; ++step) {
    for (std::size_t i = 0; i < 81; ++i) {
      const Vector3 p = at(sheet.x, i);
      at(now, i)[2] = 0.01 * std::sin(0.3 * step + 60.0 * p[0]) * std::cos(50.0 * p[1]);
    }
    bridge.push(now);
    for (int tick = 1; tick <= 5; ++tick) {
      ParticleVectors x = now;
      bridge.sample(tick / 5.0, x);
      const double t = step + tick / 5.0;
      const Vector3 device(0.04 * std::sin(0.11 * t), 0.04 * std::cos(0.17 * t),
                           0.03 * std::cos(0.05 * t));
      EXPECT_EQ(touch.god.carry(before, x), TouchResult::kDone);
      touch.god.move_to(device, x);
      before = x;
      const Vector3 force = spring.force(touch.god, device, x);
      log.insert(log.end(), touch.god.position().begin(), touch.god.position().end());
      log.insert(log.end(), force.begin(), force.end());
    }
  }
  return log;
}

TEST(TouchReplay, two_replays_have_the_same_bits) {
  const std::vector<double> first = replay(), second = replay();
  ASSERT_EQ(first.size(), 6000u);
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0);
  // It touches.
  double force = 0.0;
  for (std::size_t i = 3; i < first.size(); i += 6) force += std::abs(first[i + 2]);
  EXPECT_GT(force, 100.0);
}

}  // namespace
}  // namespace haptic::cloth
