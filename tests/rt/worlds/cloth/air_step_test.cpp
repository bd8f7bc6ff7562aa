// Wind and drag in the implicit step: bounded at any speed, and right where a formula is.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/air.h"
#include "rt/worlds/cloth/backward_difference2.h"
#include "rt/worlds/cloth/implicit_euler.h"

namespace haptic::cloth {
namespace {

constexpr SolverSettings kSolver{30, 1e-2};
constexpr double kDensity = 0.2;  ///< of square_cloth [kg/m^2]

ClothSurroundings in_wind(const Vector3& velocity, double pressure) {
  ClothSurroundings s = weightless();
  s.air.wind.velocity = velocity;
  s.air.wind.pressure = pressure;
  return s;
}

double fastest(const ParticleVectors& v) {
  double largest = 0.0;
  for (std::size_t i = 0; i < v.size() / 3; ++i) largest = std::max(largest, at(v, i).norm());
  return largest;
}

/// A free sheet across the wind w, its mass by area, so that it stays flat: the wind relative to it
/// falls as w / (1 + p w t / rho).
double sheet_error(double speed, double rate) {
  const SampleCloth sample = square_cloth(8, 0.02, cloth_materials(150.0, 2e-3));
  std::vector<double> masses(sample.system.size());
  for (const auto& t : sample.mesh.triangles) {
    for (const std::uint32_t i : t) masses[i] += kDensity * 0.02 * 0.02 / 6.0;
  }
  ClothSystem system(masses, sample.system.springs().springs(), sample.mesh.triangles,
                     in_wind({0.0, 0.0, speed}, 0.6));
  ClothState state = sample.state;
  ImplicitEuler step(system, 1.0 / rate, kSolver);
  const double time = 0.2;
  for (int k = 0; k < int(std::lround(time * rate)); ++k) {
    if (step.step(state) != ClothStepResult::kOk) return 1.0;
  }
  const double mean = momentum(system, state.v).z() / (kDensity * 0.14 * 0.14);
  const double expected = speed - speed / (1.0 + 0.6 * speed * time / kDensity);
  return std::abs(mean - expected) / speed;
}

TEST(Air, a_sheet_takes_up_the_wind_as_the_formula_says) {
  // Of order 1, below p w h / rho.
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    EXPECT_LT(sheet_error(2.0, rate), 2.0 / rate) << rate;
    EXPECT_LT(sheet_error(10.0, rate), 10.0 / rate) << rate;
  }
}

/// A flag that is held at one border in wind of up to 100 m/s, and in flowing water: nothing gets
/// faster than twice the medium, what springs give back included.
TEST(Air, a_flag_in_any_wind_stays_bounded) {
  struct Case {
    double speed, pressure;
  };
  for (const Case c : {Case{5.0, 0.6}, Case{30.0, 0.6}, Case{100.0, 0.6}, Case{0.5, 500.0}}) {
    for (const double rate : {100.0, 250.0, 1000.0}) {
      SampleCloth cloth =
          square_cloth(16, 0.02, cloth_materials(150.0, 2e-3),
                       in_wind(c.speed * Vector3(0.3, 0.2, 1.0).normalized(), c.pressure));
      for (const std::uint32_t i : grid_border(cloth.mesh, GridBorder::kLeft)) {
        cloth.system.constraints().pin(i, at(cloth.state.x, i));
      }
      ImplicitEuler step(cloth.system, 1.0 / rate, kSolver);
      double largest = 0.0;
      for (int k = 0; k < int(2.0 * rate); ++k) {
        ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
        largest = std::max(largest, fastest(cloth.state.v));
      }
      EXPECT_LT(largest, 2.0 * c.speed) << c.speed << " m/s, " << c.pressure << ", " << rate;
    }
  }
}

template <class Method>
double speed_with_drag(double drag) {
  SampleCloth cloth = square_cloth(5, 0.02, cloth_materials(150.0, 2e-3));
  cloth.system.surroundings().air.drag = drag;
  cloth.system.surroundings().air.wind.velocity = Vector3(3.0, 0.0, 0.0);
  Method step(cloth.system, 1e-3, kSolver);
  for (int k = 0; k < 2000; ++k) {
    if (step.step(cloth.state) != ClothStepResult::kOk) return -1.0;
  }
  return at(cloth.state.v, 12).x();
}

TEST(Air, drag_of_any_size_takes_a_cloth_along_with_the_wind) {
  for (const double drag : {1e-3, 1.0, 1000.0}) {
    EXPECT_NEAR(speed_with_drag<ImplicitEuler>(drag), 3.0, 1e-3) << drag;
    EXPECT_NEAR(speed_with_drag<BackwardDifference2>(drag), 3.0, 1e-3) << drag;
  }
}

}  // namespace
}  // namespace haptic::cloth
