#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/touch/god_object.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// How the facets of a mesh are smoothed in the force.
enum class ForceShading {
  kNone,
  kInterpolated,  ///< the force has the direction of the interpolated normal
  kSubProxy,      ///< the interpolated normal moves the goal, which the true planes hold
};

/// Triangles around each particle, for its normal.
class VertexFans {
 public:
  /// @param triangles  of a checked mesh of `particles` particles
  VertexFans(std::span<const std::array<std::uint32_t, 3>> triangles, std::size_t particles);

  /// Mean of the normals around a particle, weighted by area, of unit length; zero if they cancel.
  Vector3 normal(std::uint32_t particle, std::span<const double> x) const HAPTIC_REALTIME;

 private:
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::uint32_t> first_;  // of each particle in around_, and the end
  std::vector<std::uint32_t> around_;
};

/// Force of the spring from the device to its god-object, on the hand.
///
/// The part along the normals of the touched triangles is shaded, and friction, the rest, is not.
/// Source: docs/methods/cloth.md, "Force"; Morgenbesser & Srinivasan 1996; Ruspini et al. 1997.
class TouchForce {
 public:
  /// @param stiffness  N/m, >= 0
  /// @throws InputError if it is out of its range
  TouchForce(std::span<const std::array<std::uint32_t, 3>> triangles, std::size_t particles,
             double stiffness, ForceShading shading);

  /// @param device  position of the device of the last `move_to` [m]
  /// @param x       particles of the last `move_to` [m], 3n values
  /// @returns N; zero if the god-object is free
  Vector3 force(const GodObject& god, const Vector3& device,
                std::span<const double> x) const HAPTIC_REALTIME;

  double stiffness() const HAPTIC_REALTIME { return stiffness_; }

 private:
  Vector3 interpolated_normal(const GodObject& god, const TouchContact& contact,
                              std::span<const double> x) const HAPTIC_REALTIME;

  VertexFans fans_;
  double stiffness_;
  ForceShading shading_;
};

}  // namespace haptic::cloth
