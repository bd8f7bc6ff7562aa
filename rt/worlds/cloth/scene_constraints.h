#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/cloth_settings.h"
#include "rt/worlds/cloth/cloth_system.h"

namespace haptic::cloth {

/// Particles that a constraint of the scene names, ascending, each once.
/// @param source  scene file, for the message
/// @throws InputError if a number is not below n, the mesh is no grid although a set of a grid is
///         named, or there is no particle in the box
std::vector<std::uint32_t> constrained_particles(const SceneClothConstraint& constraint,
                                                 const ClothMesh& mesh, const std::string& source);

/// Number of places of `Tethers` that constraints need with an explicit method: one for each
/// particle on a sphere.
std::size_t tethers_needed(std::span<const SceneClothConstraint> constraints, const ClothMesh& mesh,
                           const std::string& source);

/// Applies the constraints at the positions of `state`: pins there, planes and lines through them,
/// spheres through them about the centre, and what follows begins there. Explicit methods get the
/// force of a sphere (`Tethers`), the others its tangent plane.
/// @throws InputError as constrained_particles, or if a particle has two constraints, or is at the
///         centre of its sphere
void apply_constraints(std::span<const SceneClothConstraint> constraints, const ClothMesh& mesh,
                       const std::string& source, const ClothState& state, bool is_explicit,
                       ClothSystem& system);

/// A particle that follows x + amplitude sin(2 pi frequency t).
struct FollowingParticle {
  std::uint32_t particle = 0;
  Vector3 at_rest, amplitude;  ///< m
  double frequency = 0.0;      ///< Hz

  Vector3 target(double time) const HAPTIC_REALTIME {
    return at_rest + std::sin(2.0 * std::numbers::pi * frequency * time) * amplitude;
  }
};

/// The particles of constraints of that kind. @throws InputError as constrained_particles
std::vector<FollowingParticle> following_particles(
    std::span<const SceneClothConstraint> constraints, const ClothMesh& mesh,
    const std::string& source, const ClothState& state);

}  // namespace haptic::cloth
