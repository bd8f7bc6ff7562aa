#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "rt/worlds/cloth/cloth_system.h"

namespace haptic::cloth {

/// Constants that are the same for every kind of spring, where a test needs no others.
inline SpringMaterials same_materials(double stiffness, double damping = 0.0) {
  SpringMaterials materials;
  materials.fill({.stiffness = stiffness, .damping = damping, .bending = 0.0});
  return materials;
}

/// Stiffness of a cloth of 1 m x 1 m: structural, shear half of it, bend a twentieth.
inline SpringMaterials cloth_materials(double stiffness, double damping = 0.0) {
  SpringMaterials materials = same_materials(stiffness, damping);
  materials[1].stiffness *= 0.5;
  materials[2].stiffness *= 0.05;
  materials[4].bending = 1e-4;
  return materials;
}

inline ClothSurroundings weightless() {
  return {.gravity = Vector3::Zero(), .air = {}};
}

/// One spring between particles 0 and 1.
inline Springs one_spring(double rest, double stiffness, double damping = 0.0,
                          SpringKind kind = SpringKind::kStructural) {
  Springs springs;
  springs.first = {0};
  springs.second = {1};
  springs.kind = {kind};
  springs.rest = {rest};
  springs.stiffness = {stiffness};
  springs.damping = {damping};
  springs.bending = {0.0};
  return springs;
}

/// A cloth with its state.
struct SampleCloth {
  ClothMesh mesh;
  ClothSystem system;
  ClothState state;
};

/// A square grid with spacing `spacing` [m] and an areal density of 0.2 kg/m^2.
inline SampleCloth square_cloth(std::uint32_t side, double spacing,
                                const SpringMaterials& materials,
                                ClothSurroundings surroundings = {},
                                SpringTopology topology = SpringTopology::kThreeKinds) {
  const double length = spacing * (side - 1);
  ClothMesh mesh = make_grid({side, side}, length, length);
  ClothSystem system(uniform_masses(0.2 * length * length, mesh.vertices.size()),
                     make_springs(mesh, topology, materials), mesh.triangles,
                     std::move(surroundings));
  ClothState state = state_at_rest(mesh);
  return {std::move(mesh), std::move(system), std::move(state)};
}

/// Moves every coordinate by up to `amount` in both directions.
inline void disturb(ParticleVectors& vectors, double amount, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-amount, amount);
  for (double& value : vectors) value += uniform(random);
}

/// Sum of masses times vectors.
inline Vector3 momentum(const ClothSystem& system, const ParticleVectors& v) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < system.size(); ++i) sum += system.masses()[i] * at(v, i);
  return sum;
}

/// A particle of mass 1 at (1, 0, 0) on a spring of stiffness 1 and rest length 0 to the origin,
/// where particle 0 is pinned: x'' = -x in every component, exactly.
inline SampleCloth oscillator(double stiffness = 1.0) {
  ClothSystem system({1.0, 1.0}, one_spring(0.0, stiffness), {}, weightless());
  system.constraints().pin(0, Vector3::Zero());
  ClothState state;
  state.x.assign(6, 0.0);
  state.v.assign(6, 0.0);
  state.x[3] = 1.0;
  return {{}, std::move(system), std::move(state)};
}

}  // namespace haptic::cloth
