#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/voxmap.h"
#include "rt/geometry/modal_coordinates.h"
#include "shared/math/pose.h"

namespace haptic {

class PointShell;

struct VoxmapSettings {
  double stiffness = 500.0;          ///< of a point [N/m]
  std::uint32_t scaling_count = 10;  ///< forces shrink by this / contacts beyond so many
  /// Groups of points before points: a coarse shell in a coarse voxmap. Rigid shells only.
  bool two_levels = true;
  /// Points far away sleep for as long as the travel limit keeps them away. Rigid shells only.
  bool sleep = true;
  double travel = 0.0;         ///< MaxTravel: no point moves farther in one cycle [m]
  double mass = 0.0;           ///< of the moving body [kg]; 0: no braking pulses
  double braking_speed = 0.0;  ///< approach beyond which a point in a proximity cell brakes [m/s]
  double dt = 1e-3;            ///< s
};

/// Result of one cycle.
struct VoxmapContact {
  Wrench on_field;                    ///< penalty, about the field body's origin, world axes
  Vector3 braking = Vector3::Zero();  ///< force of the pulses on the field's body, world [N]
  std::uint32_t contacts = 0;         ///< points in surface cells, behind the cell's tangent plane
  std::uint32_t interior = 0;   ///< points beyond the layer of the surface: they give no force
  std::uint32_t looked_up = 0;  ///< points and groups
};

/// Points of a shell against a voxmap, as published: a point in a surface cell is pushed out along
/// its own normal, in proportion to its depth behind the plane through the cell's centre with that
/// normal. The shell is fixed or moved by poses; a deformable one is evaluated without groups.
/// Braking pulses: the original paper gives no formula. Here the points in proximity cells that
/// approach faster than `braking_speed` pull with b a_i along their normals, a_i their speed of
/// approach; b is such that one cycle at this power takes the body's kinetic energy of approach.
/// Source: docs/methods/contact-and-coupling.md, "Voxmap-pointshell"; McNeely et al. 1999 and 2006.
class VoxmapPointshell {
 public:
  /// Shell and map outlive it.
  VoxmapPointshell(const PointShell& shell, const Voxmap& map, const VoxmapSettings& settings);

  /// One cycle. Sleeping assumes that consecutive poses respect the travel limit.
  const VoxmapContact& evaluate(const Pose& shell_pose, const Pose& field_pose,
                                std::span<const double> q = {});
  /// The next call evaluates all points.
  void clear_history();

  /// MaxTravel: how much of a motion (translation `dx`, rotation vector `dw` about the
  /// body's origin) a body of radius `reach` may make, in (0, 1].
  static double travel_fraction(const Vector3& dx, const Vector3& dw, double reach, double travel);

  std::size_t groups() const { return group_begin_.empty() ? 0 : group_begin_.size() - 1; }

 private:
  struct Placement {
    Matrix3 rotation = Matrix3::Identity();
    Vector3 offset = Vector3::Zero();
    Vector3 operator()(const Vector3& p) const { return rotation * p + offset; }
  };
  void make_groups();
  void look_at(std::uint32_t point);
  void press(std::uint32_t point, const Vector3& p, const Voxmap::Cell& cell);
  void brake(std::uint32_t point, const Vector3& p);
  /// Cycle in which something with this clearance must be evaluated again.
  std::uint32_t wake(double clearance) const;

  const PointShell* shell_;
  const Voxmap* map_;
  VoxmapSettings settings_;

  std::vector<std::uint32_t> order_;        // points, group by group
  std::vector<std::uint32_t> group_begin_;  // groups + 1
  std::vector<Vector3> group_centre_;
  std::vector<double> group_radius_;
  std::vector<std::uint32_t> group_wake_, point_wake_;  // cycles; points in their order

  ModalCoordinates q_;
  Placement to_field_, before_;
  bool moved_ = false;  // whether before_ holds
  std::uint32_t cycle_ = 0;
  Vector3 force_, torque_;    // on the shell, field's axes, about the field's origin
  Vector3 pulse_;             // sum of a_i n_i, field's axes
  double pulse_power_ = 0.0;  // sum of a_i^2
  VoxmapContact result_;
};

}  // namespace haptic
