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

/// What moves in one cycle: positions linear in time, rotation vectors scaled (`interpolated`),
/// reduced coordinates linear.
struct SweptMotion {
  Pose shell_from, shell_to, field_from, field_to;
  std::span<const double> q_from = {}, q_to = {};              ///< of the shell's body
  std::span<const double> field_q_from = {}, field_q_to = {};  ///< of the field's body
};

/// The points of a shell on their way through a field during one cycle, and bounds on how far.
class SweptPath {
 public:
  /// From the shell's material frame to the field's, at a time.
  struct Placement {
    double time;  ///< 0..1
    Matrix3 rotation;
    Vector3 offset;
  };

  /// A point at the beginning and what it deforms by until the end [m].
  struct Way {
    Vector3 from, change;
  };

  /// Both outlive it. Allocates; nothing else does.
  SweptPath(const PointShell& shell, SignedField& field);

  /// @returns false if a number is not finite
  bool set(const SweptMotion& motion) HAPTIC_REALTIME;

  /// Where the shell is in the field at a time, with the field brought to that time.
  Placement placement(double time) HAPTIC_REALTIME;
  /// What `placement` costs, as a number of points that the field answers for.
  std::uint32_t cost_of_placement() const HAPTIC_REALTIME {
    return field_deforms_ ? field_->cost_of_deform() : 0;
  }
  /// Of a point in its material frame: what has to be read of it once a motion.
  Way way(std::uint32_t point) const HAPTIC_REALTIME;
  /// Where it is in the field's material frame [m].
  Vector3 position(const Way& way, const Placement& at) const HAPTIC_REALTIME;
  /// Bound on how far it and the field's inside move against each other over the whole motion [m].
  double travel(const Way& way) const HAPTIC_REALTIME;
  /// Inward normal at the beginning's coordinates, turned as the shell is [field's frame].
  Vector3 normal(std::uint32_t point, const Placement& at) const HAPTIC_REALTIME;
  Pose field_pose(double time) const HAPTIC_REALTIME {
    return interpolated(motion_.field_from, motion_.field_to, time);
  }

  /// Bound on that of any point [m].
  double travel() const HAPTIC_REALTIME { return travel_; }
  double shell_turn() const HAPTIC_REALTIME { return shell_turn_; }  ///< rad
  const ModalCoordinates& change() const HAPTIC_REALTIME { return change_; }
  /// Largest magnitude of each reduced coordinate on the way.
  const ModalCoordinates& hull() const HAPTIC_REALTIME { return hull_; }

 private:
  const PointShell* shell_;
  SignedField* field_;
  double shell_reach_ = 0.0;         // largest |P_s| [m]
  std::vector<double> modal_reach_;  // r, largest |U_s,j| of a point

  SweptMotion motion_;
  ModalCoordinates q_, change_, hull_;
  double translation_ = 0.0;  // of the shell against the field [m]
  double shell_turn_ = 0.0;
  double field_sweep_ = 0.0;  // of the field's inside, by its rotation and deformation [m]
  double travel_ = 0.0;
  bool deforms_ = false, field_deforms_ = false;
  std::vector<double> coordinates_;  // working memory: r, or those of the field
};

}  // namespace haptic
