#include "rt/geometry/moving_triangle.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace haptic {

namespace {

/// Weights down to -kEdge are inside.
constexpr double kEdge = 1e-9;
constexpr int kBisections = 60;

double determinant(const Vector3& a, const Vector3& b, const Vector3& c) HAPTIC_REALTIME {
  return a.cross(b).dot(c);
}

Vector3 at_time(const Vector3& start, const Vector3& end, double t) HAPTIC_REALTIME {
  return (1.0 - t) * start + t * end;
}

}  // namespace

PassingVolume::PassingVolume(const MovingTriangle& t, const Vector3& start,
                             const Vector3& end) HAPTIC_REALTIME {
  const Vector3 p = t.start[1] - t.start[0], q = t.start[2] - t.start[0], r = start - t.start[0];
  const Vector3 dp = t.end[1] - t.end[0] - p, dq = t.end[2] - t.end[0] - q, dr = end - t.end[0] - r;
  c0_ = determinant(p, q, r);
  c1_ = determinant(dp, q, r) + determinant(p, dq, r) + determinant(p, q, dr);
  c2_ = determinant(dp, dq, r) + determinant(dp, q, dr) + determinant(p, dq, dr);
  c3_ = determinant(dp, dq, dr);
}

int PassingVolume::turns(double (&times)[2]) const HAPTIC_REALTIME {
  // c1 + 2 c2 t + 3 c3 t^2 = 0, without cancellation.
  const double discriminant = c2_ * c2_ - 3.0 * c3_ * c1_;
  if (!(discriminant > 0.0)) return 0;
  const double s = -(c2_ + std::copysign(std::sqrt(discriminant), c2_));
  double roots[2] = {s != 0.0 ? c1_ / s : -1.0, c3_ != 0.0 ? s / (3.0 * c3_) : -1.0};
  if (roots[0] > roots[1]) std::swap(roots[0], roots[1]);
  int count = 0;
  for (const double root : roots) {
    if (root > 0.0 && root < 1.0) times[count++] = root;
  }
  return count;
}

double PassingVolume::root(double before, double after, double side) const HAPTIC_REALTIME {
  for (int k = 0; k < kBisections; ++k) {
    const double middle = 0.5 * (before + after);
    (side * at(middle) > 0.0 ? before : after) = middle;
  }
  return after;
}

bool weights_inside(const MovingTriangle& triangle, const Vector3& start, const Vector3& end,
                    double t, Vector3& weights) HAPTIC_REALTIME {
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

}  // namespace haptic
