// Particles on a sphere, in the implicit step.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/backward_difference2.h"
#include "rt/worlds/cloth/implicit_euler.h"
#include "rt/worlds/cloth/particle_constraints.h"

namespace haptic::cloth {
namespace {

constexpr SolverSettings kSolver{30, 1e-2};
/// Of a pendulum, m/s^2 and m.
constexpr double kG = 9.81, kRadius = 0.25;

/// A bead at the angle from below, at rest.
struct Pendulum {
  ClothSystem system{{0.01}, Springs{}, {}, {}};
  ClothState state;

  explicit Pendulum(double angle) {
    state.x = {kRadius * std::sin(angle), 0.0, -kRadius * std::cos(angle)};
    state.v.assign(3, 0.0);
    system.constraints().keep_on_sphere(0, Vector3::Zero(), kRadius);
  }
};

/// First time at the lowest point of a small swing against pi / 2 sqrt(R / g). Backward Euler is of
/// order 1 and damps by omega h / 2.
template <class Method>
double quarter_error(double rate) {
  Pendulum p(0.05);
  Method step(p.system, 1.0 / rate, kSolver);
  int n = 0;
  double before = p.state.x[0];
  while (p.state.x[0] > 0.0 && n < 10000) {
    before = p.state.x[0];
    if (step.step(p.state) != ClothStepResult::kOk) return 1.0;
    ++n;
  }
  const double crossed = (n - 1 + before / (before - p.state.x[0])) / rate;
  return std::abs(crossed / (0.5 * std::numbers::pi * std::sqrt(kRadius / kG)) - 1.0);
}

TEST(ParticleConstraints, a_bead_swings_on_its_sphere_with_the_period_of_a_pendulum) {
  EXPECT_LT(quarter_error<ImplicitEuler>(250.0), 2e-2);
  EXPECT_LT(quarter_error<ImplicitEuler>(1000.0), 5e-3);
  EXPECT_LT(quarter_error<ImplicitEuler>(4000.0), 1.5e-3);
  EXPECT_LT(quarter_error<BackwardDifference2>(1000.0), 5e-3);
}

TEST(ParticleConstraints, a_bead_on_a_sphere_gains_no_energy) {
  for (const double rate : {100.0, 250.0, 1000.0, 4000.0, 8000.0}) {
    for (const double angle : {0.1, 1.5, 3.0}) {
      Pendulum p(angle);
      ImplicitEuler step(p.system, 1.0 / rate, kSolver);
      double last = p.system.energy(p.state);
      for (int k = 0; k < 3 * int(rate); ++k) {
        ASSERT_EQ(step.step(p.state), ClothStepResult::kOk);
        const double energy = p.system.energy(p.state);
        ASSERT_LE(energy, last + 1e-12) << rate << " Hz, " << angle << ", step " << k;
        last = energy;
        ASSERT_NEAR(at(p.state.x, 0).norm(), kRadius, 1e-14);
      }
      EXPECT_LT(last, -0.01 * kG * kRadius * std::cos(angle));
    }
  }
}

/// A cloth whose corners slide on spheres: stiff and soft, at every rate. The springs of such a
/// cloth are stretched by its weight, so what the bead has of them is h^2 k / m far above 1.
TEST(ParticleConstraints, a_cloth_on_spheres_hangs_and_gains_no_energy) {
  for (const double rate : {100.0, 250.0, 1000.0, 4000.0, 8000.0}) {
    for (const double stiffness : {10.0, 150.0, 1e4}) {
      // Above h^2 k / m of 3000 a cloth that is pinned gains as much (methods, "Limits").
      if (stiffness / (rate * rate) > 0.2) continue;
      SampleCloth cloth = square_cloth(8, 0.02, cloth_materials(stiffness, 2e-3));
      const Vector3 centre(0.05, 0.07, 0.1);
      const auto corners = grid_corners(cloth.mesh);
      std::vector<double> radii;
      for (const std::uint32_t i : corners) {
        radii.push_back((at(cloth.state.x, i) - centre).norm());
        cloth.system.constraints().keep_on_sphere(i, centre, radii.back());
      }
      ImplicitEuler step(cloth.system, 1.0 / rate, kSolver);
      const double start = cloth.system.energy(cloth.state);
      double highest = start;
      for (int k = 0; k < int(rate); ++k) {
        ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
        highest = std::max(highest, cloth.system.energy(cloth.state));
        for (std::size_t c = 0; c < corners.size(); ++c) {
          ASSERT_NEAR((at(cloth.state.x, corners[c]) - centre).norm(), radii[c], 1e-14);
        }
      }
      // Of the energy of a fall by the size of the cloth.
      const double scale = 0.2 * 0.14 * 0.14 * kG * 0.14;
      EXPECT_LT(highest - start, 1e-3 * scale) << rate << " Hz, " << stiffness << " N/m";
    }
  }
}

}  // namespace
}  // namespace haptic::cloth
