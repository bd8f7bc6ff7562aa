#pragma once

#include <span>
#include <vector>

#include "rt/contact/traversal_layout.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class SignedField;

/// How far a shell and the inside of a field may have come closer, summed over all cycles [m]: what
/// is known to be a distance d apart at one reading is apart until the odometer has advanced by d.
///
/// No speed limits (docs/methods/contact-and-coupling.md, "Temporal coherence"): the motion is
/// measured, so that nothing is assumed of the step, and a teleport is a step like any other.
/// A step counts
///   min(|dc| + |dA| reach, |db| + |dA| extent) + sum_j |dq_j| max_s |U_sj| + field's deformation
/// with x_field = A x_shell + b, c the field's origin in the shell's frame: seen from the shell the
/// inside of the field moves by the first at most, seen from the field the shell by the second.
/// Everything is rounded upward.
class MotionOdometer {
 public:
  /// The field outlives the odometer.
  MotionOdometer(const TraversalLayout& shell, const SignedField& field);

  /// The next cycle's state; what is not finite or no rotation to 1e-13 makes this cycle and the
  /// next forget.
  void advance(const Matrix3& rotation, const Vector3& offset, std::span<const double> q,
               std::span<const double> field_q) HAPTIC_REALTIME;
  /// Everything ever noted as free is in question again.
  void forget() HAPTIC_REALTIME { reading_ = horizon_; }

  double reading() const HAPTIC_REALTIME { return reading_; }  ///< m
  /// Reading up to which two things `slack` [m] apart now are apart; this reading if slack is not
  /// > 0. The margin covers the rounding of positions.
  double free_until(double slack) const HAPTIC_REALTIME {
    if (!(slack > 0.0)) return reading_;
    return reading_ + (slack < farthest_ ? slack : farthest_) * (1.0 - 1e-9) - margin_;
  }
  /// To be told of every reading that is kept.
  void note(double free_until) HAPTIC_REALTIME {
    if (free_until > horizon_) horizon_ = free_until;
  }

 private:
  double motion(const Matrix3& rotation, const Vector3& offset, std::span<const double> q,
                std::span<const double> field_q) HAPTIC_REALTIME;

  const SignedField* field_;
  double extent_;                     // max |P_s| [m]
  std::vector<double> modal_extent_;  // max |U_sj|, r
  double reach_, size_;               // of the field; of whatever is finite of both [m]
  double farthest_;                   // cap of what is noted, so that the horizon stays finite [m]
  double reading_ = 0.0, horizon_ = 0.0, margin_ = 0.0;

  // State at the last reading.
  bool known_ = false;
  Matrix3 rotation_ = Matrix3::Identity();
  Vector3 offset_ = Vector3::Zero(), field_origin_ = Vector3::Zero();
  std::vector<double> q_, field_q_, field_step_;
};

}  // namespace haptic
