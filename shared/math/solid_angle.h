#pragma once

#include <cmath>

#include "shared/math/pose.h"

namespace haptic {

/// Half of the solid angle that a triangle covers, seen from the origin [rad]: positive if its
/// corners run counter-clockwise from there. Source: van Oosterom & Strackee 1983.
inline double half_solid_angle(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return std::atan2(a.dot(b.cross(c)),
                    la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

}  // namespace haptic
