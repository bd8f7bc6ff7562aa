#pragma once

#include "rt/worlds/cloth/collision/bounding_volumes.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Ball around `centre` [m].
struct SphereVolume {
  Vector3 centre = Vector3::Zero();
  double radius = 0.0;
};

/// A ball of radius `radius` [m], >= 0, that moves straight from `from` to `to`: the hand between
/// two places. (A point alone loses a thin cloth as soon as it is behind it.)
struct SweptPoint {
  Vector3 from = Vector3::Zero(), to = Vector3::Zero();
  double radius = 0.0;
};

/// Bounds of a triangle, around the centroid and through the farthest corner: a smaller sphere
/// touches more corners, and nearly every motion would leave it.
void bound(const Vector3& a, const Vector3& b, const Vector3& c, SphereVolume& out) HAPTIC_REALTIME;

/// Grows a volume by `distance` [m], >= 0, in every direction.
void inflate(SphereVolume& volume, double distance) HAPTIC_REALTIME;

/// Smallest sphere around two, with a margin of rounding.
SphereVolume merged(const SphereVolume& a, const SphereVolume& b) HAPTIC_REALTIME;

bool contains(const SphereVolume& volume, const Vector3& p) HAPTIC_REALTIME;

/// Whether two sets have a common point. Sets that are apart by 1e-12 of their size may be taken
/// for overlapping, never the reverse.
bool overlap(const SphereVolume& a, const SphereVolume& b) HAPTIC_REALTIME;
bool overlap(const SphereVolume& a, const cloth::BoxVolume& b) HAPTIC_REALTIME;
/// A box has sharp corners here: the ball is taken for a cube of the same width.
bool overlap(const cloth::BoxVolume& volume, const SweptPoint& path) HAPTIC_REALTIME;
bool overlap(const SphereVolume& volume, const SweptPoint& path) HAPTIC_REALTIME;

}  // namespace haptic::lab

namespace haptic {
extern template class cloth::VolumeHierarchy<lab::SphereVolume>;
}

namespace haptic::lab {
/// Source: docs/methods/cloth.md, "Bounding volume hierarchy".
using SphereHierarchy = cloth::VolumeHierarchy<SphereVolume>;
}  // namespace haptic::lab
