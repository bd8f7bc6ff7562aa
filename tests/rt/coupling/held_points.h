#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// Wrench on the held body and its derivative d(force, torque)/d(Dx, Dw).
struct TestContact {
  Wrench wrench;
  Matrix6 gradient = Matrix6::Zero();
  double deepest = 0.0;  ///< m
  int count = 0;
};

/// Signed distance, negative inside the obstacle, with its derivatives.
struct Obstacle {
  std::function<double(const Vector3&)> distance;
  std::function<Vector3(const Vector3&)> normal;
  std::function<Matrix3(const Vector3&)> curvature = [](const Vector3&) {
    return Matrix3::Zero().eval();
  };
};

inline Obstacle half_space() {  // solid below z = 0
  return {[](const Vector3& p) { return p.z(); },
          [](const Vector3&) { return Vector3::UnitZ().eval(); }};
}

inline Obstacle slab(double thickness) {  // solid for |z| < thickness / 2
  return {[thickness](const Vector3& p) { return std::abs(p.z()) - 0.5 * thickness; },
          [](const Vector3& p) { return Vector3(0.0, 0.0, p.z() < 0.0 ? -1.0 : 1.0); }};
}

inline Obstacle square_shaft(double half_width) {  // hollow along z
  return {[half_width](const Vector3& p) {
            return half_width - std::max(std::abs(p.x()), std::abs(p.y()));
          },
          [](const Vector3& p) {
            return std::abs(p.x()) > std::abs(p.y()) ? Vector3(p.x() < 0.0 ? 1.0 : -1.0, 0.0, 0.0)
                                                     : Vector3(0.0, p.y() < 0.0 ? 1.0 : -1.0, 0.0);
          }};
}

inline Obstacle spherical_socket(double radius) {  // hollow ball
  return {[radius](const Vector3& p) { return radius - p.norm(); },
          [](const Vector3& p) { return Vector3(-p.normalized()); },
          [](const Vector3& p) {
            const Vector3 e = p.normalized();
            return Matrix3((e * e.transpose() - Matrix3::Identity()) / p.norm());
          }};
}

/// Penalty contact of points fixed to the held body with an analytic obstacle, and its exact
/// derivative. `corotated` adds the skew of the wrench: the mirror of Barbic 2007, Section 4.2.
inline TestContact touch(const std::vector<Vector3>& points, const Pose& held,
                         const Obstacle& obstacle, double k, bool corotated = false) {
  TestContact contact;
  for (const Vector3& X : points) {
    const Vector3 r = held.orientation * X;
    const double d = obstacle.distance(held.position + r);
    if (d >= 0.0) continue;
    const Vector3 n = obstacle.normal(held.position + r);
    const Vector3 f = -k * d * n;
    contact.wrench.force += f;
    contact.wrench.torque += r.cross(f);
    const Matrix3 dx = -k * (n * n.transpose() + d * obstacle.curvature(held.position + r));
    const Matrix3 dw = -dx * skew(r);
    contact.gradient.topLeftCorner<3, 3>() += dx;
    contact.gradient.topRightCorner<3, 3>() += dw;
    contact.gradient.bottomLeftCorner<3, 3>() += skew(r) * dx;
    contact.gradient.bottomRightCorner<3, 3>() += skew(f) * skew(r) + skew(r) * dw;
    contact.deepest = std::max(contact.deepest, -d);
    ++contact.count;
  }
  if (corotated) {
    contact.gradient.topRightCorner<3, 3>() += skew(contact.wrench.force);
    contact.gradient.bottomRightCorner<3, 3>() += skew(contact.wrench.torque);
  }
  return contact;
}

inline std::vector<Vector3> box_corners(const Vector3& half) {
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.emplace_back(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(),
                         i & 4 ? half.z() : -half.z());
  }
  return corners;
}

inline std::vector<Vector3> sphere_points(double radius, int count) {
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i) {  // Fibonacci lattice
    const double z = 1.0 - (2.0 * i + 1.0) / count;
    const double phi = 2.399963229728653 * i;
    const double s = std::sqrt(1.0 - z * z);
    points.emplace_back(radius * s * std::cos(phi), radius * s * std::sin(phi), radius * z);
  }
  return points;
}

}  // namespace haptic
