#pragma once

#include <span>
#include <vector>

#include "rt/contact/traversal_layout.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class SignedField;

/// Upper bound on the relative motion of a shell and the inside of a field, summed over all cycles
/// [m]: points that are a distance d apart at one reading do not touch until the odometer has
/// advanced by d.
///
/// The motion itself is measured, without a speed limit (docs/methods/contact-and-coupling.md,
/// "Temporal coherence"): a teleport is a step like any other. A step adds
///   min(|dc| + |dA| reach, |db| + |dA| extent) + sum_j |dq_j| max_s |U_sj| + field's deformation
/// with x_field = A x_shell + b and c the field's origin in the shell's frame. The first term
/// bounds the motion of the field's inside relative to the shell, the second that of the shell
/// relative to the field. All values are rounded up.
class MotionOdometer {
 public:
  /// The field outlives the odometer.
  MotionOdometer(const TraversalLayout& shell, const SignedField& field);

  /// Another field from the next cycle on. @pre it has the same data
  void serve(const SignedField& field) HAPTIC_REALTIME { field_ = &field; }
  /// Advances to the state of the next cycle. If it is not finite, or `rotation` is not a rotation
  /// within 1e-13, this cycle and the next one call clear_history().
  void advance(const Matrix3& rotation, const Vector3& offset, std::span<const double> q,
               std::span<const double> field_q) HAPTIC_REALTIME;
  /// Advances to the largest reading noted, so that nothing is known to be free.
  void clear_history() HAPTIC_REALTIME { reading_ = horizon_; }

  double reading() const HAPTIC_REALTIME { return reading_; }  ///< m
  /// Reading up to which points that are now `slack` [m] apart do not touch; the current reading if
  /// slack is not > 0. The margin covers the rounding of positions.
  double free_until(double slack) const HAPTIC_REALTIME {
    if (!(slack > 0.0)) return reading_;
    return reading_ + (slack < farthest_ ? slack : farthest_) * (1.0 - 1e-9) - margin_;
  }
  /// Notes a result of free_until that the caller stores; the largest of several is sufficient.
  void note(double free_until) HAPTIC_REALTIME {
    if (free_until > horizon_) horizon_ = free_until;
  }

 private:
  double motion(const Matrix3& rotation, const Vector3& offset, std::span<const double> q,
                std::span<const double> field_q) HAPTIC_REALTIME;

  const SignedField* field_;
  double extent_;                     // max |P_s| [m]
  std::vector<double> modal_extent_;  // max |U_sj|, r
  double reach_, size_;               // of the field; extent_ + reach_, if finite [m]
  double farthest_;                   // cap of the slack, so that the horizon stays finite [m]
  double reading_ = 0.0, horizon_ = 0.0, margin_ = 0.0;

  // State at the last reading.
  bool known_ = false;
  Matrix3 rotation_ = Matrix3::Identity();
  Vector3 offset_ = Vector3::Zero(), field_origin_ = Vector3::Zero();
  std::vector<double> q_, field_q_, field_step_;
};

}  // namespace haptic
