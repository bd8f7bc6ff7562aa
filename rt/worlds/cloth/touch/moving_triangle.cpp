#include "rt/worlds/cloth/touch/moving_triangle.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace haptic {

namespace {

/// Weights down to -kEdge are inside: no gap between neighbours.
constexpr double kEdge = 1e-9;
constexpr int kBisections = 60;

double determinant(const Vector3& a, const Vector3& b, const Vector3& c) HAPTIC_REALTIME {
  return a.cross(b).dot(c);
}

/// c0 + c1 t + c2 t^2 + c3 t^3: six times the volume, positive in front.
struct Volume {
  double c0, c1, c2, c3;

  Volume(const Corners& start, const Corners& end, const Vector3& point_start,
         const Vector3& point_end) HAPTIC_REALTIME {
    const Vector3 p = start.b - start.a, q = start.c - start.a, r = point_start - start.a;
    const Vector3 dp = end.b - end.a - p, dq = end.c - end.a - q, dr = point_end - end.a - r;
    c0 = determinant(p, q, r);
    c1 = determinant(dp, q, r) + determinant(p, dq, r) + determinant(p, q, dr);
    c2 = determinant(dp, dq, r) + determinant(dp, q, dr) + determinant(p, dq, dr);
    c3 = determinant(dp, dq, dr);
  }
  double at(double t) const HAPTIC_REALTIME { return c0 + t * (c1 + t * (c2 + t * c3)); }

  /// Times in (0, 1), ascending, between which the volume is monotonic. @returns how many, <= 2
  int turns(double (&times)[2]) const HAPTIC_REALTIME {
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

Vector3 between(const Vector3& start, const Vector3& end, double t) HAPTIC_REALTIME {
  return (1.0 - t) * start + t * end;
}

/// @returns whether the point, which is in the plane of the triangle, is inside it
bool inside(const Corners& t, const Vector3& p, Vector3& weights) HAPTIC_REALTIME {
  const Vector3 ab = t.b - t.a, ac = t.c - t.a, ap = p - t.a;
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

bool first_crossing(const Corners& start, const Corners& end, const Vector3& point_start,
                    const Vector3& point_end, double tolerance,
                    Crossing& crossing) HAPTIC_REALTIME {
  const Volume volume(start, end, point_start, point_end);
  const double near = tolerance * (end.b - end.a).cross(end.c - end.a).norm();
  double turns[2];
  const int count = volume.turns(turns);
  double low = 0.0, before = volume.c0;
  for (int i = 0; i <= count; ++i) {
    const double high = i < count ? turns[i] : 1.0;
    double after = volume.at(high);
    if (i == count && std::abs(after) <= near) after = 0.0;
    const double side = before > 0.0 ? 1.0 : -1.0;
    if (before != 0.0 && side * after <= 0.0) {
      double outside = low, time = high;
      for (int k = 0; k < kBisections; ++k) {
        const double middle = 0.5 * (outside + time);
        (side * volume.at(middle) > 0.0 ? outside : time) = middle;
      }
      const Corners then{between(start.a, end.a, time), between(start.b, end.b, time),
                         between(start.c, end.c, time)};
      if (inside(then, between(point_start, point_end, time), crossing.weights)) {
        crossing.time = time;
        crossing.side = side;
        return true;
      }
    }
    low = high;
    before = after;
  }
  return false;
}

}  // namespace haptic
