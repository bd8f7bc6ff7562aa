#include "rt/geometry/triangle_distance.h"

#include <algorithm>

namespace haptic {

namespace {

/// Newton steps; an end before the touch is safe.
constexpr int kSteps = 48;
/// Halvings of the way to its point nearest to the triangle.
constexpr int kHalvings = 40;
/// Share of the skin by which rounding may bring the ball nearer than its radius.
constexpr double kRounding = 1e-3;

/// part / whole, or 0 where an edge or a face has no extent.
double share(double part, double whole) HAPTIC_REALTIME {
  return whole > 0.0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
}

Vector3 closest_weights(const Corners& t, const Vector3& p) HAPTIC_REALTIME {
  const Vector3 ab = t.b - t.a, ac = t.c - t.a;
  const Vector3 ap = p - t.a, bp = p - t.b, cp = p - t.c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return {1.0, 0.0, 0.0};
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return {0.0, 1.0, 0.0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
    const double v = share(d1, d1 - d3);
    return {1.0 - v, v, 0.0};
  }
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return {0.0, 0.0, 1.0};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    const double w = share(d2, d2 - d6);
    return {1.0 - w, 0.0, w};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 >= d3 && d5 >= d6) {
    const double w = share(d4 - d3, (d4 - d3) + (d5 - d6));
    return {0.0, 1.0 - w, w};
  }
  const double sum = va + vb + vc;
  const double v = share(vb, sum), w = share(vc, sum);
  return {1.0 - v - w, v, w};
}

/// Least distance between a triangle and the line from `from` to `to`, where it is convex.
double least_distance(const Corners& triangle, const Vector3& from,
                      const Vector3& to) HAPTIC_REALTIME {
  double low = 0.0, high = 1.0, distance = 0.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    const Vector3 x = from + middle * (to - from);
    const Vector3 away = x - closest_point(triangle, x).point;
    distance = away.norm();
    (away.dot(to - from) < 0.0 ? low : high) = middle;
  }
  return distance;
}

}  // namespace

Vector3 Corners::normal() const HAPTIC_REALTIME {
  const Vector3 area = (b - a).cross(c - a);
  const double length = area.norm();
  return length > 0.0 ? Vector3(area / length) : Vector3::Zero();
}

ClosestPoint closest_point(const Corners& triangle, const Vector3& p) HAPTIC_REALTIME {
  ClosestPoint closest;
  closest.weights = closest_weights(triangle, p);
  closest.point = triangle.at(closest.weights);
  return closest;
}

double free_fraction(const Corners& triangle, const Vector3& from, const Vector3& to, double radius,
                     double skin) HAPTIC_REALTIME {
  // Neither end nor what is between them is near to the plane: without this, a ball that slides in
  // its skin would stop at the edge of every triangle that it passes.
  const Vector3 face = triangle.normal();
  const double before = face.dot(from - triangle.a), after = face.dot(to - triangle.a);
  const double nearest = before > 0.0 ? std::min(before, after) : std::min(-before, -after);
  if (nearest >= radius - kRounding * skin) return 1.0;

  double fraction = 0.0;
  for (int step = 0; step < kSteps; ++step) {
    const Vector3 x = from + fraction * (to - from);
    const ClosestPoint closest = closest_point(triangle, x);
    const Vector3 away = x - closest.point;
    const double distance = away.norm();
    // A point of the triangle itself has no tangent plane; the caller's radius excludes it.
    if (!(distance > 0.0)) return fraction;
    const Vector3 normal = away / distance;
    const double end = normal.dot(to - closest.point);
    if (end >= radius - kRounding * skin) return 1.0;
    if (distance <= radius + skin) {
      // Past an edge that the tangent plane goes through, but not the ball?
      const bool passes = least_distance(triangle, x, to) >= radius - kRounding * skin;
      return passes ? 1.0 : fraction;
    }
    fraction += (1.0 - fraction) * (distance - radius - 0.5 * skin) / (distance - end);
  }
  return fraction;
}

}  // namespace haptic
