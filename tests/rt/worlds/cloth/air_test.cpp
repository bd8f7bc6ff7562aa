#include "rt/worlds/cloth/air.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"

namespace haptic::cloth {
namespace {

TEST(Air, gusts_stay_between_minus_one_half_and_three_halves) {
  const Gust gust{.velocity = Vector3::UnitX(), .coefficient = 0.1, .period = 3.0};
  double least = 1.0, most = 0.0, steepest = 0.0;
  for (int k = 0; k < 2'000'000; ++k) {
    const double t = 1e-3 * k, factor = gust.factor(t);
    least = std::min(least, factor);
    most = std::max(most, factor);
    steepest = std::max(steepest, std::abs(gust.factor(t + 1e-3) - factor) / 1e-3);
  }
  EXPECT_GE(least, -0.5);
  EXPECT_LE(most, 1.5);
  EXPECT_LT(least, -0.499);  // 3^2 is beyond 3 pi / 2 and pi / 2, so both are reached
  EXPECT_GT(most, 1.499);
  // In minute 33 it is as slow as in the first 3 s: |d sin(t^2) / dt| <= 2 t. The chirp as printed
  // has the slope 4000 / s there.
  EXPECT_LE(steepest, 6.01);
  const double printed = std::abs(std::sin(1999.1 * 1999.1) - std::sin(1999.1005 * 1999.1005));
  EXPECT_GT(printed / 5e-4, 100.0);
  EXPECT_NEAR(gust.factor(0.7), std::sin(0.49) + 0.5, 1e-15);
  EXPECT_NEAR(gust.factor(6.0 - 0.7), std::sin(0.49) + 0.5, 1e-12);
}

TEST(Air, gusts_and_drag_are_forces_on_every_particle) {
  AirSettings air;
  air.drag = 0.5;
  air.gust = {.velocity = Vector3(2.0, 0.0, 0.0), .coefficient = 0.25, .period = 3.0};
  const ParticleVectors x(6);
  const std::vector<double> masses{0.1, 0.4};
  ParticleVectors v{1.0, 2.0, 3.0, 0.0, 0.0, -1.0}, f(6);
  add_drag_and_gust(air, masses, x, v, 0.0, f);
  EXPECT_EQ(f, (ParticleVectors{-0.5 + 0.25, -1.0, -1.5, 0.25, 0.0, 0.5}));
  // Drag is that of the air: a particle that goes with the wind has none.
  air.gust.coefficient = 0.0;
  air.wind.velocity = Vector3(1.0, 2.0, 3.0);
  std::fill(f.begin(), f.end(), 0.0);
  add_drag_and_gust(air, masses, x, v, 0.0, f);
  EXPECT_EQ(f, (ParticleVectors{0.0, 0.0, 0.0, 0.5, 1.0, 2.0}));
  // By area, which is in proportion to the mass: 0.2 m^2 and 0.8 m^2.
  air = {};
  air.area_per_mass = 2.0;
  air.drag_per_area = 10.0;
  std::fill(f.begin(), f.end(), 0.0);
  add_drag_and_gust(air, masses, x, v, 0.0, f);
  EXPECT_EQ(f, (ParticleVectors{-2.0, -4.0, -6.0, 0.0, 0.0, 8.0}));
  air.drag_per_area = 0.0;
  air.gust_per_area = 5.0;
  air.gust.velocity = Vector3(1.0, 0.0, 0.0);
  std::fill(f.begin(), f.end(), 0.0);
  add_drag_and_gust(air, masses, x, v, 0.0, f);
  EXPECT_EQ(f, (ParticleVectors{0.5, 0.0, 0.0, 2.0, 0.0, 0.0}));
}

/// A triangle across the wind gets p |u| u A, one along the wind nothing, one that moves with it
/// nothing.
TEST(Air, wind_presses_along_the_normal) {
  const std::array<std::uint32_t, 3> triangle{0, 1, 2};
  Wind wind{.velocity = Vector3(0.0, 0.0, 3.0), .pressure = 0.6};
  ParticleVectors x{0, 0, 0, 2, 0, 0, 0, 2, 0}, v(9), f(9);  // area 2
  add_wind(wind, {&triangle, 1}, x, v, f);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR((at(f, i) - Vector3(0.0, 0.0, 0.6 * 9.0 * 2.0 / 3.0)).norm(), 0.0, 1e-12);
  }
  // The back of the cloth is the same: the force does not depend on the orientation.
  const std::array<std::uint32_t, 3> turned{0, 2, 1};
  ParticleVectors back(9);
  add_wind(wind, {&turned, 1}, x, v, back);
  EXPECT_EQ(back, f);
  for (std::size_t i = 0; i < 3; ++i) at(v, i) = wind.velocity;
  std::fill(f.begin(), f.end(), 0.0);
  add_wind(wind, {&triangle, 1}, x, v, f);
  EXPECT_EQ(f, ParticleVectors(9));
  wind.velocity = Vector3(5.0, 1.0, 0.0);
  std::fill(v.begin(), v.end(), 0.0);
  add_wind(wind, {&triangle, 1}, x, v, f);
  EXPECT_EQ(f, ParticleVectors(9));
}

TEST(Air, behind_a_sphere_there_is_no_wind) {
  Wind wind{.velocity = Vector3(0.0, 4.0, 0.0), .pressure = 0.6};
  wind.shadows = {{.centre = Vector3(1.0, 0.0, 0.0), .radius = 0.5}};
  wind.penumbra = 0.2;
  EXPECT_EQ(wind_exposure(wind, Vector3(1.0, 3.0, 0.4)), 0.0);
  EXPECT_EQ(wind_exposure(wind, Vector3(1.0, -3.0, 0.4)), 1.0);  // before it
  EXPECT_EQ(wind_exposure(wind, Vector3(1.0, 3.0, 0.7)), 1.0);   // beside it
  EXPECT_NEAR(wind_exposure(wind, Vector3(1.0, 3.0, 0.55)), 0.5, 1e-12);
  // Behind the sphere the cloth moves through still air.
  const std::array<std::uint32_t, 3> triangle{0, 1, 2};
  ParticleVectors x{0.9, 2.0, -0.1, 1.1, 2.0, -0.1, 1.0, 2.0, 0.1}, v(9), f(9);
  add_wind(wind, {&triangle, 1}, x, v, f);
  EXPECT_EQ(f, ParticleVectors(9));
  for (std::size_t i = 0; i < 3; ++i) at(v, i) = Vector3(0.0, 1.0, 0.0);
  add_wind(wind, {&triangle, 1}, x, v, f);
  EXPECT_LT(f[1], 0.0);
}

TEST(Air, numbers_out_of_range_are_refused) {
  const auto refused = [](auto change) {
    AirSettings air;
    change(air);
    EXPECT_THROW(check_air(air), InputError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(check_air({}));
  refused([](AirSettings& air) { air.drag = -1.0; });
  refused([](AirSettings& air) { air.gust.coefficient = -1.0; });
  refused([](AirSettings& air) { air.gust.period = 0.0; });
  refused([&](AirSettings& air) { air.gust.velocity[1] = nan; });
  refused([&](AirSettings& air) { air.wind.velocity[2] = nan; });
  refused([&](AirSettings& air) { air.wind.pressure = nan; });
  refused([](AirSettings& air) { air.wind.penumbra = 0.0; });
  refused([](AirSettings& air) { air.wind.shadows = {{.radius = 0.0}}; });
}

}  // namespace
}  // namespace haptic::cloth
