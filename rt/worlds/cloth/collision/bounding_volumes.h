#pragma once

#include <cmath>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Axis-aligned box [m]. Closed: boxes that touch overlap, so a flat triangle has one too.
struct BoxVolume {
  Vector3 lower = Vector3::Constant(HUGE_VAL), upper = Vector3::Constant(-HUGE_VAL);  // empty
};

/// Bounds of a triangle.
void bound(const Vector3& a, const Vector3& b, const Vector3& c, BoxVolume& out) HAPTIC_REALTIME;

/// Grows a box by `distance` [m], >= 0, in every direction.
void inflate(BoxVolume& volume, double distance) HAPTIC_REALTIME;

/// Smallest box around two.
BoxVolume merged(const BoxVolume& a, const BoxVolume& b) HAPTIC_REALTIME;

bool contains(const BoxVolume& volume, const Vector3& p) HAPTIC_REALTIME;

/// Whether two boxes have a common point, exactly.
bool overlap(const BoxVolume& a, const BoxVolume& b) HAPTIC_REALTIME;

/// Coordinates of which squares and their sums are finite: numbers up to 1e100 m.
inline bool is_bounded(const Vector3& p) HAPTIC_REALTIME {
  constexpr double kMax = 1e100;
  return std::abs(p.x()) <= kMax && std::abs(p.y()) <= kMax &&
         std::abs(p.z()) <= kMax;  // false of NaN
}

}  // namespace haptic::cloth
