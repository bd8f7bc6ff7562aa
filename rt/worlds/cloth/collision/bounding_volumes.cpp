#include "rt/worlds/cloth/collision/bounding_volumes.h"

#include <algorithm>

namespace haptic::cloth {
namespace {

Vector3 least(const Vector3& a, const Vector3& b) HAPTIC_REALTIME {
  return {std::min(a.x(), b.x()), std::min(a.y(), b.y()), std::min(a.z(), b.z())};
}

Vector3 greatest(const Vector3& a, const Vector3& b) HAPTIC_REALTIME {
  return {std::max(a.x(), b.x()), std::max(a.y(), b.y()), std::max(a.z(), b.z())};
}

}  // namespace

void bound(const Vector3& a, const Vector3& b, const Vector3& c, BoxVolume& out) HAPTIC_REALTIME {
  out.lower = least(least(a, b), c);
  out.upper = greatest(greatest(a, b), c);
}

void inflate(BoxVolume& volume, double distance) HAPTIC_REALTIME {
  volume.lower.array() -= distance;
  volume.upper.array() += distance;
}

BoxVolume merged(const BoxVolume& a, const BoxVolume& b) HAPTIC_REALTIME {
  return {least(a.lower, b.lower), greatest(a.upper, b.upper)};
}

bool contains(const BoxVolume& volume, const Vector3& p) HAPTIC_REALTIME {
  return (p.array() >= volume.lower.array()).all() && (p.array() <= volume.upper.array()).all();
}

bool overlap(const BoxVolume& a, const BoxVolume& b) HAPTIC_REALTIME {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

}  // namespace haptic::cloth
