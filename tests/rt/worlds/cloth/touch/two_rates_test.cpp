#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "rt/worlds/cloth/touch/force_grid.h"
#include "rt/worlds/cloth/touch/particle_grip.h"
#include "rt/worlds/cloth/touch/plane_probe.h"
#include "rt/worlds/cloth/touch/step_interpolation.h"
#include "rt/worlds/cloth/touch/touch_force.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/touch/touch_sheets.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

TEST(StepInterpolation, T66_five_ticks_a_step_exact_at_the_knots_and_a_step_late) {
  constexpr int kTicks = 5;
  const auto knot = [](int n) { return ParticleVectors{std::sin(0.7 * n), 0.1 * n, 3.0 - n * n}; };
  StepInterpolation bridge(knot(0));
  ParticleVectors out(3), before(3);
  for (int n = 1; n < 20; ++n) {
    // Step n is done when the clock of the cloth shows n; the hand then sees n - 1.
    const ParticleVectors from = knot(n - 1), to = knot(n);
    NoAllocation guard;
    bridge.push(to);
    bridge.sample(0.0, before);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(before[i], from[i], 1e-12);
    for (int tick = 1; tick <= kTicks; ++tick) {
      bridge.sample(tick / double(kTicks), out);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(out[i] - before[i], (to[i] - from[i]) / kTicks, 1e-12);
      }
      before = out;
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(out[i], to[i], 1e-12);
    // A cloth that is late is held at its last step.
    bridge.sample(1.7, out);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i], to[i]);
  }
}

TEST(ForceGrid, T68_a_linear_field_is_interpolated_exactly) {
  ForceGrid grid({-0.1, 0.2, 0.0}, 0.05, {4, 5, 6});
  ASSERT_EQ(grid.size(), 120u);
  Eigen::Matrix3d slope;
  slope << 1, 2, 3, -4, 5, 6, 7, -8, 9;
  const Vector3 at_origin(0.5, -0.25, 2.0);
  for (std::size_t i = 0; i < grid.size(); ++i) grid.set(i, at_origin + slope * grid.point(i));
  for (int i = 0; i < 500; ++i) {
    const Vector3 share(0.5 + 0.5 * std::sin(i), 0.5 + 0.5 * std::sin(2.3 * i),
                        0.5 + 0.5 * std::cos(3.1 * i));
    const Vector3 p = Vector3(-0.1, 0.2, 0.0) + share.cwiseProduct(Vector3(0.15, 0.2, 0.25));
    NoAllocation guard;
    EXPECT_LT((grid.force(p) - at_origin - slope * p).norm(), 1e-12);
  }
  // All corners, the far ones too.
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}, grid.size() - 1}) {
    EXPECT_LT((grid.force(grid.point(i)) - at_origin - slope * grid.point(i)).norm(), 1e-12);
  }
  EXPECT_EQ(grid.force({-0.11, 0.3, 0.1}), Vector3::Zero());
  EXPECT_EQ(grid.force({0.0, 0.41, 0.1}), Vector3::Zero());
  EXPECT_EQ(grid.force({0.0, 0.3, std::nan("")}), Vector3::Zero());
}

TEST(ForceGrid, T68_the_first_force_comes_with_the_first_step_of_the_cloth) {
  ForceGrid grid({0.0, 0.0, 0.0}, 0.01, {3, 3, 3});
  const Vector3 device(0.013, 0.008, 0.004);
  constexpr int kTicksPerStep = 33;
  int first = -1;
  for (int tick = 0; tick < 100 && first < 0; ++tick) {
    if (tick > 0 && tick % kTicksPerStep == 0) {
      std::array<std::size_t, 8> points;
      ASSERT_TRUE(grid.around(device, points));
      for (const std::size_t i : points) grid.set(i, {0.0, 0.0, 1.5});
    }
    if (grid.force(device).norm() > 0.0) first = tick;
  }
  EXPECT_EQ(first, kTicksPerStep);
  EXPECT_LT((grid.force(device) - Vector3(0.0, 0.0, 1.5)).norm(), 1e-15);
  std::array<std::size_t, 8> points;
  EXPECT_FALSE(grid.around({0.021, 0.0, 0.0}, points));
}

TEST(ForceGrid, lattices_out_of_range_are_refused) {
  EXPECT_THROW(ForceGrid(Vector3::Zero(), 0.0, {2, 2, 2}), InputError);
  EXPECT_THROW(ForceGrid(Vector3::Zero(), 0.1, {2, 1, 2}), InputError);
  EXPECT_THROW(ForceGrid(Vector3::Zero(), 0.1, {4096, 4096, 4096}), InputError);
  EXPECT_THROW(ForceGrid({std::nan(""), 0, 0}, 0.1, {2, 2, 2}), InputError);
}

TEST(PlaneProbe, the_force_has_no_jump_at_a_new_plane_and_ends_at_its_own) {
  constexpr double kBlend = 0.02, kDt = 1e-3, kSpring = 500.0;
  PlaneProbe probe(kSpring, kBlend);
  const Vector3 device(0.0, 0.0, -0.01);
  EXPECT_EQ(probe.step(device, kDt), Vector3::Zero());
  Vector3 before = Vector3::Zero();
  const HalfSpace planes[] = {
      {Vector3::UnitZ(), 0.0}, {Vector3(0.6, 0.0, 0.8), 0.002}, {Vector3(-0.6, 0.0, 0.8), -0.02}};
  for (const HalfSpace& plane : planes) {
    const double depth = plane.offset - plane.normal.dot(device);
    const Vector3 end = kSpring * std::max(0.0, depth) * plane.normal;
    const double change = (end - before).norm();
    NoAllocation guard;
    probe.set(plane);
    for (int tick = 0; tick < 20; ++tick) {
      const Vector3 force = probe.step(device, kDt);
      EXPECT_NEAR((force - before).norm(), change * kDt / kBlend, 1e-9);
      before = force;
    }
    EXPECT_LT((before - end).norm(), 1e-9);
    EXPECT_LT((probe.step(device, kDt) - end).norm(), 1e-12);
  }
  // Without a blend, and without a plane.
  PlaneProbe hard(kSpring, 0.0);
  hard.set(planes[0]);
  EXPECT_LT((hard.step(device, kDt) - Vector3(0.0, 0.0, 5.0)).norm(), 1e-12);
  hard.set(std::nullopt);
  EXPECT_EQ(hard.step(device, kDt), Vector3::Zero());
  EXPECT_THROW(PlaneProbe(-1.0, 0.0), InputError);
  EXPECT_THROW(PlaneProbe(1.0, -1.0), InputError);
}

TEST(ParticleGrip, T69_the_nearest_particle_is_held_with_its_spring_and_the_weight) {
  TouchSheet sheet(5, 0.02);
  const Vector3 weight(0.0, 0.0, -0.3 * 9.81);
  ParticleGrip grip(200.0, weight, 0.015);
  const Vector3 device(0.021, -0.018, 0.004);
  {
    NoAllocation guard;
    grip.update(true, device, sheet.x);
  }
  ASSERT_TRUE(grip.held().has_value());
  const std::uint32_t held = *grip.held();
  EXPECT_LT((at(sheet.x, held) - Vector3(0.02, -0.02, 0.0)).norm(), 1e-15);
  EXPECT_LT(
      (grip.force(device, sheet.x) - (200.0 * Vector3(-0.001, -0.002, -0.004) + weight)).norm(),
      1e-9);
  // It is dragged, not picked again, and at the device only the weight is left.
  const Vector3 away(0.1, 0.2, 0.3);
  at(sheet.x, held) = away;
  grip.update(true, away, sheet.x);
  EXPECT_EQ(*grip.held(), held);
  EXPECT_LT((grip.force(away, sheet.x) - weight).norm(), 1e-9);
  grip.update(false, away, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  EXPECT_EQ(grip.force(away, sheet.x), Vector3::Zero());
  // A press far from everything picks nothing, and neither does a move with the button down.
  grip.update(true, {0.0, 0.0, 0.016}, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  grip.update(true, {0.0, 0.0, 0.001}, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  grip.update(false, Vector3::Zero(), sheet.x);
  grip.update(true, {std::nan(""), 0.0, 0.0}, sheet.x);
  EXPECT_FALSE(grip.held().has_value());
  // Between two, the first.
  grip.update(false, Vector3::Zero(), sheet.x);
  grip.update(true, {-0.01, 0.0, 0.0}, sheet.x);
  EXPECT_EQ(grip.held(), 11u);
  EXPECT_THROW(ParticleGrip(-1.0, weight, 0.1), InputError);
  EXPECT_THROW(ParticleGrip(1.0, weight, 0.0), InputError);
}

/// A recorded hand on a moving sheet at five ticks a step. @returns god-objects and forces
std::vector<double> replay() {
  TouchSheet sheet(9, 0.02);
  Touch touch(sheet.mesh, {.radius = 1e-4, .friction = 0.3});
  const TouchForce spring(sheet.mesh.triangles, 81, 500.0, ForceShading::kSubProxy);
  StepInterpolation bridge(sheet.x);
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

TEST(TouchReplay, T70_two_replays_have_the_same_bits) {
  const std::vector<double> first = replay(), second = replay();
  ASSERT_EQ(first.size(), 6000u);
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0);
  // It touches.
  double force = 0.0;
  for (std::size_t i = 3; i < first.size(); i += 6) force += std::abs(first[i + 2]);
  EXPECT_GT(force, 100.0);
}

}  // namespace
}  // namespace haptic
