#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/geometry/modal_coordinates.h"
#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;

/// Motion of both bodies in one cycle. Positions, rotation vectors and reduced coordinates are
/// linear in time (`interpolated`).
struct SweptMotion {
  Pose shell_from, shell_to, field_from, field_to;
  std::span<const double> q_from = {}, q_to = {};              ///< of the shell's body
  std::span<const double> field_q_from = {}, field_q_to = {};  ///< of the field's body
};

/// Paths of the points of a shell relative to a field during one cycle, and bounds on their length.
class SweptPath {
 public:
  /// Transform from the shell's material frame to the field's at a time.
  struct Placement {
    double time;  ///< 0..1
    Matrix3 rotation;
    Vector3 offset;
  };

  /// Position of a point at the beginning and its deformation until the end [m], shell's frame.
  struct Way {
    Vector3 from, change;
  };

  /// Both arguments outlive the path. Allocates; no other function does.
  SweptPath(const PointShell& shell, SignedField& field);

  /// Sets the motion and deforms the field to its beginning.
  /// @returns false if a number is not finite
  bool set(const SweptMotion& motion) HAPTIC_REALTIME;

  /// Placement of the shell in the field at a time; deforms the field to that time.
  Placement placement(double time) HAPTIC_REALTIME;
  /// Cost of `placement`, in points of the field's `evaluate`.
  std::uint32_t cost_of_placement() const HAPTIC_REALTIME {
    return field_deforms_ ? field_->cost_of_deform() : 0;
  }
  /// Way of a point, to be read once per motion.
  Way way(std::uint32_t point) const HAPTIC_REALTIME;
  /// Position of the point in the field's material frame [m].
  Vector3 position(const Way& way, const Placement& at) const HAPTIC_REALTIME;
  /// Bound on the relative motion of the point and the field's inside over the whole motion [m].
  double travel(const Way& way) const HAPTIC_REALTIME;
  /// Inward unit normal for q_from, rotated to the field's frame.
  Vector3 normal(std::uint32_t point, const Placement& at) const HAPTIC_REALTIME;
  Pose field_pose(double time) const HAPTIC_REALTIME {
    return interpolated(motion_.field_from, motion_.field_to, time);
  }

  /// Bound on the relative motion of any point [m].
  double travel() const HAPTIC_REALTIME { return travel_; }
  double shell_turn() const HAPTIC_REALTIME { return shell_turn_; }  ///< rad
  const ModalCoordinates& change() const HAPTIC_REALTIME { return change_; }
  /// Largest magnitude of each reduced coordinate during the motion.
  const ModalCoordinates& hull() const HAPTIC_REALTIME { return hull_; }

 private:
  const PointShell* shell_;
  SignedField* field_;
  double shell_reach_ = 0.0;         // largest |P_s| [m]
  std::vector<double> modal_reach_;  // r, largest |U_s,j| of a point

  SweptMotion motion_;
  ModalCoordinates q_, change_, hull_;
  double translation_ = 0.0;  // of the shell relative to the field [m]
  double shell_turn_ = 0.0;
  double field_sweep_ = 0.0;  // motion of the field's inside by rotation and deformation [m]
  double travel_ = 0.0;
  bool deforms_ = false, field_deforms_ = false;
  std::vector<double> coordinates_;  // working memory: r of the shell or of the field
};

}  // namespace haptic
