#pragma once

#include <cmath>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Axis-aligned box [m]. Closed: boxes that touch overlap, so a flat triangle has one too.
struct BoxVolume {
  Vector3 lower = Vector3::Constant(HUGE_VAL), upper = Vector3::Constant(-HUGE_VAL);  // empty
};

/// Ball around `centre` [m].
struct SphereVolume {
  Vector3 centre = Vector3::Zero();
  double radius = 0.0;
};

/// A ball of radius `radius` [m], >= 0, that moves straight from `from` to `to`.
struct SweptPoint {
  Vector3 from = Vector3::Zero(), to = Vector3::Zero();
  double radius = 0.0;
};

/// Bounds of a triangle. The sphere is around the centroid, through the farthest corner: a smaller
/// one touches more corners, and nearly every motion would leave it.
void bound(const Vector3& a, const Vector3& b, const Vector3& c, BoxVolume& out) HAPTIC_REALTIME;
void bound(const Vector3& a, const Vector3& b, const Vector3& c, SphereVolume& out) HAPTIC_REALTIME;

/// Grows a volume by `distance` [m], >= 0, in every direction.
void inflate(BoxVolume& volume, double distance) HAPTIC_REALTIME;
void inflate(SphereVolume& volume, double distance) HAPTIC_REALTIME;

/// Smallest volume around two; that of spheres has a margin of rounding.
BoxVolume merged(const BoxVolume& a, const BoxVolume& b) HAPTIC_REALTIME;
SphereVolume merged(const SphereVolume& a, const SphereVolume& b) HAPTIC_REALTIME;

bool contains(const BoxVolume& volume, const Vector3& p) HAPTIC_REALTIME;
bool contains(const SphereVolume& volume, const Vector3& p) HAPTIC_REALTIME;

/// Whether two sets have a common point. Exact for two boxes; the others may take sets for
/// overlapping that are apart by 1e-12 of their size, never the reverse.
bool overlap(const BoxVolume& a, const BoxVolume& b) HAPTIC_REALTIME;
bool overlap(const SphereVolume& a, const SphereVolume& b) HAPTIC_REALTIME;
bool overlap(const SphereVolume& a, const BoxVolume& b) HAPTIC_REALTIME;
/// A box has sharp corners here: the ball is taken for a cube of the same width.
bool overlap(const BoxVolume& volume, const SweptPoint& path) HAPTIC_REALTIME;
bool overlap(const SphereVolume& volume, const SweptPoint& path) HAPTIC_REALTIME;

/// Coordinates of which squares and their sums are finite: numbers up to 1e100 m.
inline bool is_bounded(const Vector3& p) HAPTIC_REALTIME {
  constexpr double kGreatest = 1e100;
  return std::abs(p.x()) <= kGreatest && std::abs(p.y()) <= kGreatest &&
         std::abs(p.z()) <= kGreatest;  // false of NaN
}

}  // namespace haptic::cloth
