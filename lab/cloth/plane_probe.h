#pragma once

#include <optional>

#include "rt/worlds/cloth/touch/constraint_planes.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// A local model of a slow surface: the hand's loop presses on a plane, which the cloth's loop
/// replaces some twenty times a second. After a change the force is blended from the old plane's to
/// the new one's, so that it has no jump.
/// Source: docs/methods/cloth.md, "Two rates"; Mark et al. 1996.
class PlaneProbe {
 public:
  /// @param stiffness  N/m, >= 0
  /// @param blend      time from one plane to the next [s], >= 0
  /// @throws InputError if a value is out of its range
  PlaneProbe(double stiffness, double blend);

  /// The next plane, or none where nothing is near. A change during a blend goes on from the force
  /// of that moment.
  void set(const std::optional<cloth::HalfSpace>& plane) HAPTIC_REALTIME;

  /// One step of the hand's loop. @returns stiffness times depth along the normal [N]
  Vector3 step(const Vector3& device, double dt) HAPTIC_REALTIME;

 private:
  Vector3 press(const Vector3& device) const HAPTIC_REALTIME;

  double stiffness_, blend_;
  std::optional<cloth::HalfSpace> plane_;
  Vector3 last_ = Vector3::Zero();  // force of the last step
  Vector3 from_ = Vector3::Zero();  // force at the change, less that of the new plane
  double left_ = 0.0;               // of the blend [s]
  bool changed_ = false;
};

}  // namespace haptic::lab
