#include "lab/cloth/sphere_volume.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/collision/volume_hierarchy-inl.h"

namespace haptic::lab {
namespace {

constexpr double kEpsilon = 2.3e-16;  // at least one rounding
constexpr double kMargin = 1e-12;     // of an overlap test, above all its roundings

}  // namespace

void bound(const Vector3& a, const Vector3& b, const Vector3& c,
           SphereVolume& out) HAPTIC_REALTIME {
  out.centre = (a + b + c) / 3.0;
  const double squared = std::max({(a - out.centre).squaredNorm(), (b - out.centre).squaredNorm(),
                                   (c - out.centre).squaredNorm()});
  out.radius = std::sqrt(squared) * (1.0 + 4.0 * kEpsilon);  // the corner stays inside
}

void inflate(SphereVolume& volume, double distance) HAPTIC_REALTIME {
  volume.radius += distance;
}

SphereVolume merged(const SphereVolume& a, const SphereVolume& b) HAPTIC_REALTIME {
  const Vector3 d = b.centre - a.centre;
  const double distance = std::sqrt(d.squaredNorm());
  if (distance + b.radius <= a.radius) return a;
  if (distance + a.radius <= b.radius) return b;
  SphereVolume both;
  both.radius = 0.5 * (distance + a.radius + b.radius);
  both.centre = a.centre + (both.radius - a.radius) / distance * d;
  // The centre is rounded by the size of its coordinates, which may be far above the radius.
  both.radius += 4.0 * kEpsilon * (both.radius + both.centre.cwiseAbs().maxCoeff());
  return both;
}

bool contains(const SphereVolume& volume, const Vector3& p) HAPTIC_REALTIME {
  return (p - volume.centre).squaredNorm() <= volume.radius * volume.radius;
}

bool overlap(const SphereVolume& a, const SphereVolume& b) HAPTIC_REALTIME {
  const double reach = (a.radius + b.radius) * (1.0 + kMargin);
  return (a.centre - b.centre).squaredNorm() <= reach * reach;
}

bool overlap(const SphereVolume& a, const cloth::BoxVolume& b) HAPTIC_REALTIME {
  const Vector3 nearest = a.centre.cwiseMax(b.lower).cwiseMin(b.upper);
  const double reach = a.radius * (1.0 + kMargin);
  return (a.centre - nearest).squaredNorm() <= reach * reach;
}

bool overlap(const cloth::BoxVolume& volume, const SweptPoint& path) HAPTIC_REALTIME {
  // Separating axes: those of the box, then those across the path. By single values: vectors that
  // are stored by components and loaded whole stall the processor.
  for (int i = 0; i < 3; ++i) {
    const double low = std::min(path.from[i], path.to[i]) - path.radius;
    const double high = std::max(path.from[i], path.to[i]) + path.radius;
    if (!(volume.lower[i] <= high && low <= volume.upper[i])) return false;
  }
  double half[3], extents[3], centre[3], size[3];
  for (int i = 0; i < 3; ++i) {
    half[i] = 0.5 * (path.to[i] - path.from[i]);
    extents[i] = 0.5 * (volume.upper[i] - volume.lower[i]) + path.radius;
    centre[i] = 0.5 * (path.from[i] + path.to[i]) - 0.5 * (volume.lower[i] + volume.upper[i]);
    size[i] = std::abs(path.from[i]) + std::abs(volume.lower[i]) + std::abs(centre[i]);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double apart = std::abs(half[j] * centre[k] - half[k] * centre[j]);
    const double reach = extents[j] * std::abs(half[k]) + extents[k] * std::abs(half[j]);
    const double rounding = kMargin * (size[j] + size[k]) * (std::abs(half[j]) + std::abs(half[k]));
    if (apart > reach + rounding) return false;
  }
  return true;
}

bool overlap(const SphereVolume& volume, const SweptPoint& path) HAPTIC_REALTIME {
  const Vector3 along = path.to - path.from, to_centre = volume.centre - path.from;
  const double length2 = along.squaredNorm();
  const double share = length2 > 0.0 ? std::clamp(to_centre.dot(along) / length2, 0.0, 1.0) : 0.0;
  // Rounding of the nearest point is of the size of the vectors that make it.
  const double rounding = 1e-15 * (std::sqrt(length2) + std::sqrt(to_centre.squaredNorm()));
  const double reach = (volume.radius + path.radius) * (1.0 + kMargin) + rounding;
  return (to_centre - share * along).squaredNorm() <= reach * reach;
}

}  // namespace haptic::lab

namespace haptic {
template class cloth::VolumeHierarchy<lab::SphereVolume>;
}
