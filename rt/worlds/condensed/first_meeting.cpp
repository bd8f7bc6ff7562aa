#include "rt/worlds/condensed/first_meeting.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace haptic {

namespace {

/// A point counts as inside a triangle if its weights are at least -kEdge: no gap between
/// neighbours.
constexpr double kEdge = 1e-9;
constexpr int kBisections = 60;

double determinant(const Vector3& a, const Vector3& b, const Vector3& c) HAPTIC_REALTIME {
  return a.cross(b).dot(c);
}

/// Six times the volume of the tetrahedron of triangle and point over time: c0 + c1 t + c2 t^2 +
/// c3 t^3, positive outside.
struct Volume {
  double c0, c1, c2, c3;

  Volume(const MovingTriangle& t, const Vector3& start, const Vector3& end) HAPTIC_REALTIME {
    const Vector3 p = t.start[1] - t.start[0], q = t.start[2] - t.start[0], r = start - t.start[0];
    const Vector3 dp = t.end[1] - t.end[0] - p, dq = t.end[2] - t.end[0] - q,
                  dr = end - t.end[0] - r;
    c0 = determinant(p, q, r);
    c1 = determinant(dp, q, r) + determinant(p, dq, r) + determinant(p, q, dr);
    c2 = determinant(dp, dq, r) + determinant(dp, q, dr) + determinant(p, dq, dr);
    c3 = determinant(dp, dq, dr);
  }
  double at(double t) const HAPTIC_REALTIME { return c0 + t * (c1 + t * (c2 + t * c3)); }

  /// Times in (0, 1), ascending, between which the volume is monotonic. @returns how many, <= 2
  int turns(double (&times)[2]) const HAPTIC_REALTIME {
    // c1 + 2 c2 t + 3 c3 t^2 = 0, without cancellation.
    const double discriminant = c2 * c2 - 3.0 * c3 * c1;
    if (!(discriminant > 0.0)) return 0;
    const double s = -(c2 + std::copysign(std::sqrt(discriminant), c2));
    double roots[2] = {s != 0.0 ? c1 / s : -1.0, c3 != 0.0 ? s / (3.0 * c3) : -1.0};
    if (roots[0] > roots[1]) std::swap(roots[0], roots[1]);
    int count = 0;
    for (const double root : roots) {
      if (root > 0.0 && root < 1.0) times[count++] = root;
    }
    return count;
  }
};

Vector3 at_time(const Vector3& start, const Vector3& end, double t) HAPTIC_REALTIME {
  return (1.0 - t) * start + t * end;
}

/// @returns whether the projection of the point at time t is inside the triangle
bool inside(const MovingTriangle& triangle, const Vector3& start, const Vector3& end, double t,
            Vector3& weights) HAPTIC_REALTIME {
  const Vector3 a = at_time(triangle.start[0], triangle.end[0], t);
  const Vector3 ab = at_time(triangle.start[1], triangle.end[1], t) - a;
  const Vector3 ac = at_time(triangle.start[2], triangle.end[2], t) - a;
  const Vector3 ap = at_time(start, end, t) - a;
  const Vector3 normal = ab.cross(ac);
  const double area2 = normal.squaredNorm();
  if (!(area2 > 0.0)) return false;
  const double wb = ap.cross(ac).dot(normal) / area2, wc = ab.cross(ap).dot(normal) / area2;
  weights = {1.0 - wb - wc, wb, wc};
  for (double& weight : weights) {
    if (!(weight >= -kEdge)) return false;
    weight = std::max(weight, 0.0);
  }
  weights /= weights[0] + weights[1] + weights[2];
  return true;
}

}  // namespace

bool first_meeting(const MovingTriangle& triangle, const Vector3& start, const Vector3& end,
                   double tolerance, Meeting& meeting) HAPTIC_REALTIME {
  const Volume volume(triangle, start, end);
  double turns[2];
  const int count = volume.turns(turns);
  const double area2 =
      (triangle.start[1] - triangle.start[0]).cross(triangle.start[2] - triangle.start[0]).norm();
  double low = 0.0, outside = volume.c0;
  for (int i = 0; i <= count; ++i) {
    const double high = i < count ? turns[i] : 1.0, after = volume.at(high);
    // At the start, a point that is a rounding inside and moves inwards passes now.
    const bool grazes = i == 0 && outside <= 0.0 && outside >= -tolerance * area2;
    if ((outside > 0.0 || grazes) && after <= 0.0 && after < outside) {
      double before = low, time = grazes ? low : high;
      for (int k = 0; !grazes && k < kBisections; ++k) {
        const double middle = 0.5 * (before + time);
        (volume.at(middle) > 0.0 ? before : time) = middle;
      }
      if (inside(triangle, start, end, time, meeting.weights)) {
        meeting.time = time;
        return true;
      }
    }
    low = high;
    outside = after;
  }
  return false;
}

}  // namespace haptic
