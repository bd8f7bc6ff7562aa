#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/air.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "rt/worlds/cloth/spring_forces.h"
#include "rt/worlds/cloth/tethers.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Positions and velocities of the particles, and their time.
struct ClothState {
  ParticleVectors x;  ///< m, 3n values
  ParticleVectors v;  ///< m/s, 3n values
  double time = 0.0;  ///< s
};

/// Forces that act on every particle.
struct ClothSurroundings {
  Vector3 gravity{0.0, 0.0, -9.81};  ///< m/s^2
  AirSettings air = {};
};

/// The cloth as integrators see it: masses, springs, gravity, air, tethers and constraints.
///
/// Outlives the integrators that are made for it. What is adjustable may change between steps.
/// Source: docs/methods/cloth.md.
class ClothSystem {
 public:
  /// @param masses     n values [kg], > 0
  /// @param springs    between these particles
  /// @param triangles  for the wind; may be empty
  /// @param tethers    places for springs to targets, and as many for sphere constraints
  /// @throws InputError if a mass is not positive, an index is not below n, or `surroundings` have
  ///         a number out of range
  ClothSystem(std::vector<double> masses, Springs springs,
              std::vector<std::array<std::uint32_t, 3>> triangles, ClothSurroundings surroundings,
              std::size_t tethers = 16);

  std::size_t size() const HAPTIC_REALTIME { return masses_.size(); }  ///< particles
  std::span<const double> masses() const HAPTIC_REALTIME { return masses_; }
  const std::vector<std::array<std::uint32_t, 3>>& triangles() const { return triangles_; }
  const SpringForces& springs() const HAPTIC_REALTIME { return springs_; }
  ClothSurroundings& surroundings() HAPTIC_REALTIME { return surroundings_; }
  const ClothSurroundings& surroundings() const HAPTIC_REALTIME { return surroundings_; }
  ParticleConstraints& constraints() HAPTIC_REALTIME { return constraints_; }
  const ParticleConstraints& constraints() const HAPTIC_REALTIME { return constraints_; }
  Tethers& tethers() HAPTIC_REALTIME { return tethers_; }
  /// From now on forces() keeps what add_wind() says of damping, for methods that solve with it.
  void keep_wind_damping() { wind_damping_.resize(size()); }
  /// Of the last forces(): n values, or none [kg/s].
  std::span<const SymmetricBlock> wind_damping() const HAPTIC_REALTIME { return wind_damping_; }
  /// Forces that act besides, the same over a step [N], 3n values; zero at first.
  std::span<double> applied() HAPTIC_REALTIME { return applied_; }
  const Tethers& tethers() const HAPTIC_REALTIME { return tethers_; }

  /// Sets f [N] to all forces at x, v (3n values each) and `time`, cleared once.
  void forces(std::span<const double> x, std::span<const double> v, double time,
              std::span<double> f) HAPTIC_REALTIME;
  /// All forces but the springs'; sphere constraints answer these alone.
  void forces_without_springs(std::span<const double> x, std::span<const double> v, double time,
                              std::span<double> f) HAPTIC_REALTIME;
  /// Sets a [m/s^2] to the accelerations that constraints allow.
  void accelerations(std::span<const double> x, std::span<const double> v, double time,
                     std::span<double> a) HAPTIC_REALTIME;

  /// Evaluations of the springs' forces since construction.
  std::uint64_t evaluations() const HAPTIC_REALTIME { return evaluations_; }
  /// Springs without a direction in the last evaluation.
  std::size_t springs_left_out() const HAPTIC_REALTIME { return left_out_; }

  /// 1/2 m v^2 - m g . x + energy of springs and tethers [J]. Without gust and wind it falls by
  /// the dissipation of dampers and drag.
  double energy(const ClothState& state) const HAPTIC_REALTIME;
  /// Power that dampers and drag take out, in still air [W].
  double dissipation(const ClothState& state) const HAPTIC_REALTIME;

 private:
  void set_external_forces(std::span<const double> x, std::span<const double> v, double time,
                           std::span<double> f) HAPTIC_REALTIME;

  std::vector<double> masses_;
  SpringForces springs_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  ClothSurroundings surroundings_;
  ParticleConstraints constraints_;
  Tethers tethers_;
  ParticleVectors applied_;
  std::vector<SymmetricBlock> wind_damping_;
  std::uint64_t evaluations_ = 0;
  std::size_t left_out_ = 0;
};

/// The mesh at rest, time 0.
ClothState state_at_rest(const ClothMesh& mesh);

}  // namespace haptic::cloth
