#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// What particles may not do: pins, planes, lines, spheres and targets that they follow.
///
/// A pinned particle and one that follows a target have the inverse mass 0. Accelerations and
/// changes of velocity are filtered, so a particle in a plane or on a line stays there in every
/// integrator; what rounding leaves, and a particle that starts beside it, is projected. One on a
/// sphere is in its tangent plane for a step, and projected.
/// All memory is from construction on; the functions of the loop take at most n steps.
/// Source: docs/methods/cloth.md, "Constraints"; the filter: Baraff & Witkin 1998.
class ParticleConstraints {
 public:
  enum class Hold : std::uint8_t { kFree, kPlane, kLine, kSphere, kPinned, kFollowing };

  /// @param masses  n values [kg], > 0
  explicit ParticleConstraints(std::span<const double> masses);

  /// Keeps the particle at `position` [m].
  void pin(std::size_t particle, const Vector3& position) HAPTIC_REALTIME;
  /// Keeps it in the plane through `point` with the unit normal `n`.
  void keep_in_plane(std::size_t particle, const Vector3& point, const Vector3& n) HAPTIC_REALTIME;
  /// Keeps it on the line through `point` with the unit direction `d`.
  void keep_on_line(std::size_t particle, const Vector3& point, const Vector3& d) HAPTIC_REALTIME;
  /// Keeps it at its distance `radius` > 0 [m] from `centre`; it is not at the centre.
  void keep_on_sphere(std::size_t particle, const Vector3& centre, double radius) HAPTIC_REALTIME;
  /// Moves it to `target` [m] in every step, with the velocity of the target, from `position` on.
  void follow(std::size_t particle, const Vector3& position, const Vector3& target) HAPTIC_REALTIME;
  /// Moves the target of a particle that follows one.
  void set_target(std::size_t particle, const Vector3& target) HAPTIC_REALTIME;
  /// Ends every constraint of the particle. It keeps its velocity.
  void release(std::size_t particle) HAPTIC_REALTIME;

  Hold hold(std::size_t particle) const HAPTIC_REALTIME { return hold_[particle]; }
  std::size_t count() const HAPTIC_REALTIME { return held_count_; }
  /// 1 / m of free particles and of those in a plane or on a line, 0 of the others: n values.
  std::span<const double> inverse_masses() const HAPTIC_REALTIME { return inverse_masses_; }

  /// Sets the tangent planes of spheres at x, and the stiffness with which the pull of the sphere
  /// turns with them under the forces f [N] of the others. 3n values each.
  void set_spheres(std::span<const double> x, std::span<const double> v,
                   std::span<const double> f) HAPTIC_REALTIME;
  /// Of a particle: tension over radius, >= 0 [N/m].
  double turning_stiffness(std::size_t particle) const HAPTIC_REALTIME {
    return turning_stiffness_[particle];
  }

  /// Removes from each of 3n values what its constraint forbids: the whole of it, the normal or
  /// the transverse part. A projection: symmetric, and twice is once.
  void filter(std::span<double> vectors) const HAPTIC_REALTIME;
  void filter(std::size_t particle, Eigen::Map<Vector3> vector) const HAPTIC_REALTIME;

  /// After a step of `dt` [s]: positions and velocities (3n values each) that the constraints
  /// allow.
  void project(std::span<double> x, std::span<double> v, double dt) HAPTIC_REALTIME;

 private:
  void set(std::size_t particle, Hold hold) HAPTIC_REALTIME;

  std::vector<double> masses_, inverse_masses_;
  std::vector<Hold> hold_;
  std::vector<std::uint32_t> held_;  // ascending, the first held_count_ of n
  std::size_t held_count_ = 0;
  ParticleVectors point_;      // of the plane or line; centre; pinned position; target
  ParticleVectors direction_;  // n or d; of those that follow: the target of the last step
  std::vector<double> radius_, turning_stiffness_;  // of spheres; 0 of others
};

/// Particles of a grid's borders that scenes pin. @throws InputError if the mesh is no grid
std::vector<std::uint32_t> grid_corners(const ClothMesh& mesh);  ///< the four corners
enum class GridBorder : std::uint8_t {
  kBottom,
  kTop,
  kLeft,
  kRight
};  ///< j = 0, ny - 1; i = 0, nx - 1
std::vector<std::uint32_t> grid_border(const ClothMesh& mesh, GridBorder border);
std::vector<std::uint32_t> border_corners(const ClothMesh& mesh, GridBorder border);  ///< its ends

}  // namespace haptic::cloth
