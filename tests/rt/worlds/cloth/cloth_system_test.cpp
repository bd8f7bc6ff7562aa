#include "rt/worlds/cloth/cloth_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"

namespace haptic::cloth {
namespace {

/// Mean of |angle - 90 degrees| over the corners of the quads.
double angle_distortion(const SampleCloth& cloth) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const auto& quad : cloth.mesh.quads) {
    for (std::size_t k = 0; k < 4; ++k) {
      const Vector3 p = at(cloth.state.x, quad[k]);
      const Vector3 a = at(cloth.state.x, quad[(k + 1) % 4]) - p;
      const Vector3 b = at(cloth.state.x, quad[(k + 3) % 4]) - p;
      sum += std::abs(std::acos(a.dot(b) / (a.norm() * b.norm())) - std::numbers::pi / 2.0);
      ++count;
    }
  }
  return sum / double(count) * 180.0 / std::numbers::pi;
}

struct Shape {
  double sag, distortion;
};

/// The first `kinds` kinds of springs, hung at two corners; after 50, 100, 150 and 200 steps.
std::vector<Shape> ablation(std::size_t kinds) {
  SpringMaterials materials = same_materials(0.0);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    materials[kind] = {.stiffness = kind == 2 ? 2.0 : 10.0, .damping = 1e-3, .bending = 0.0};
  }
  SampleCloth cloth = square_cloth(15, 1.0 / 14.0, materials);
  for (const std::uint32_t i : border_corners(cloth.mesh, GridBorder::kTop)) {
    cloth.system.constraints().pin(i, at(cloth.state.x, i));
  }
  VelocityVerlet verlet(cloth.system, 4e-3);
  std::vector<Shape> shapes;
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(run(verlet, cloth.state, 50), 50);
    double lowest = 0.0;
    for (std::size_t i = 0; i < cloth.system.size(); ++i) {
      lowest = std::min(lowest, cloth.state.x[3 * i + 2]);
    }
    shapes.push_back({-lowest, angle_distortion(cloth)});
  }
  return shapes;
}

TEST(ClothSystem, shear_and_bend_springs_hold_the_shape) {
  const std::vector<Shape> structural = ablation(1), shear = ablation(2), bend = ablation(3);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LE(shear[k].sag, structural[k].sag);
    EXPECT_LE(bend[k].sag, shear[k].sag);
    EXPECT_LT(shear[k].distortion, structural[k].distortion / 5.0);
  }
  EXPECT_LT(shear[3].sag, 0.7 * structural[3].sag);
  EXPECT_LT(bend[3].sag, 0.95 * shear[3].sag);
}

TEST(ClothSystem, energy_counts_motion_height_springs_and_tethers) {
  ClothSystem system({1.0, 2.0}, one_spring(1.0, 8.0), {}, {});
  ASSERT_TRUE(system.tethers().add(
      TargetSpring{.particle = 0, .target = Vector3(0.0, 3.0, 2.0), .stiffness = 2.0}));
  ClothState state;
  state.x = {0, 0, 1, 1.5, 0, 1};
  state.v = {0, 0, 0, 0, 3, 4};
  EXPECT_NEAR(system.energy(state), 0.5 * 2.0 * 25.0 + 3.0 * 9.81 + 1.0 + 10.0, 1e-12);
}

TEST(ClothSystem, springs_without_a_direction_are_counted) {
  SampleCloth cloth = square_cloth(3, 0.1, cloth_materials(10.0));
  ParticleVectors f(cloth.state.x.size());
  cloth.system.forces(cloth.state.x, cloth.state.v, 0.0, f);
  EXPECT_EQ(cloth.system.springs_left_out(), 0u);
  at(cloth.state.x, 1) = at(cloth.state.x, 0);
  cloth.system.forces(cloth.state.x, cloth.state.v, 0.0, f);
  EXPECT_EQ(cloth.system.springs_left_out(), 1u);
  EXPECT_EQ(cloth.system.evaluations(), 2u);
}

TEST(ClothSystem, what_does_not_belong_together_is_refused) {
  const auto message = [](auto make) -> std::string {
    try {
      make();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([] {
              ClothSystem({1.0, 0.0}, Springs{}, {}, {});
            }),
            "particle 1: mass 0 kg, expected a number > 0 [kg]");
  EXPECT_EQ(message([] { ClothSystem({1.0}, one_spring(1.0, 1.0), {}, {}); }),
            "spring 0: particle 1, expected a number below 1");
  EXPECT_EQ(message([] {
              ClothSystem({1.0, 1.0}, Springs{}, {{0, 1, 2}}, {});
            }),
            "triangle 0: particle 2, expected a number below 2");
  ClothSurroundings surroundings;
  surroundings.gravity[1] = std::nan("");
  EXPECT_EQ(message([&] { ClothSystem({1.0}, Springs{}, {}, surroundings); }),
            "gravity: a component that is not finite, expected three numbers [m/s^2]");
  surroundings = {};
  surroundings.air.drag = -1.0;
  EXPECT_EQ(message([&] { ClothSystem({1.0}, Springs{}, {}, surroundings); }),
            "drag: -1 kg/s, expected a number >= 0 [kg/s]");
}

}  // namespace
}  // namespace haptic::cloth
