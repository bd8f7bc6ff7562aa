#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// A triangle whose corners move on straight lines during a step.
struct MovingTriangle {
  Vector3 start[3], end[3];  ///< counter-clockwise seen from the front [m]
};

/// Six times the signed volume of the tetrahedron between a moving triangle and a moving point, a
/// cubic of the time t in [0, 1]: positive while the point is in front of the triangle's plane.
class PassingVolume {
 public:
  /// @param start, end  of the point [m]
  PassingVolume(const MovingTriangle& triangle, const Vector3& start,
                const Vector3& end) HAPTIC_REALTIME;

  double at(double t) const HAPTIC_REALTIME { return c0_ + t * (c1_ + t * (c2_ + t * c3_)); }
  /// Times in (0, 1), ascending, between which the volume is monotonic. @returns how many, <= 2
  int turns(double (&times)[2]) const HAPTIC_REALTIME;
  /// The root between `before`, where side * at() > 0, and `after`, where it is not, by bisection.
  /// @param side  1 or -1
  double root(double before, double after, double side) const HAPTIC_REALTIME;

 private:
  double c0_, c1_, c2_, c3_;
};

/// Barycentric weights of the point's projection onto the plane of the triangle at time t.
/// @returns false if it is outside the triangle, by more than rounding so that neighbours leave no
///          gap, or if the triangle has no area
bool weights_inside(const MovingTriangle& triangle, const Vector3& start, const Vector3& end,
                    double t, Vector3& weights) HAPTIC_REALTIME;

}  // namespace haptic
