#pragma once

#include <cmath>

#include "rt/device/falcon/kinematics.h"

namespace haptic {

/// What the tests hold the driver against: the leg's angle in extended precision, whose differences
/// are the exact Jacobian to better than 1e-9, and the Jacobian that libnifalcon publishes (its
/// issue 66, third column with sin² theta2; docs/methods/devices.md, "Jacobian of the legs").
struct OracleLeg {
  long double theta1, theta2, theta3;
};

inline OracleLeg oracle_leg(const FalconGeometry& g, const Vector3& p, int leg, int axis = -1,
                            long double shift = 0.0L) {
  long double q[3] = {p.x(), p.y(), p.z()};
  if (axis >= 0) q[axis] += shift;
  const long double phi = g.leg_angles[static_cast<std::size_t>(leg)];
  const long double u = q[0] * std::cos(phi) + q[1] * std::sin(phi) - g.r;
  const long double v = -q[0] * std::sin(phi) + q[1] * std::cos(phi) - g.s;
  const long double w = q[2];
  const long double theta3 = std::acos((v + g.f) / g.b);
  const long double length = g.d + g.e + g.b * std::sin(theta3);
  const long double reach = std::hypot(u + g.c, w);
  const long double k = (reach * reach + g.a * g.a - length * length) / (2.0L * g.a);
  const long double theta1 = std::atan2(w, u + g.c) - std::acos(k / reach);
  const long double theta2 =
      std::atan2(w - g.a * std::sin(theta1), u + g.c - g.a * std::cos(theta1));
  return {theta1, theta2, theta3};
}

/// d(theta1)/d(position), a row per leg, by central differences: error h² |third derivative| +
/// 1e-19 / h, below 1e-9 of the entries for h = 1e-6 m.
inline Matrix3 oracle_jacobian(const FalconGeometry& g, const Vector3& p) {
  constexpr long double h = 1e-6L;
  Matrix3 jacobian;
  for (int leg = 0; leg < 3; ++leg) {
    for (int axis = 0; axis < 3; ++axis) {
      jacobian(leg, axis) = static_cast<double>(
          (oracle_leg(g, p, leg, axis, h).theta1 - oracle_leg(g, p, leg, axis, -h).theta1) /
          (2.0L * h));
    }
  }
  return jacobian;
}

/// The published one.
inline Matrix3 published_jacobian(const FalconGeometry& g, const Vector3& p) {
  Matrix3 jacobian;
  for (int i = 0; i < 3; ++i) {
    const OracleLeg leg = oracle_leg(g, p, i);
    const double t2 = static_cast<double>(leg.theta2), t3 = static_cast<double>(leg.theta3);
    const double den = -g.a * std::sin(t3) * std::sin(static_cast<double>(leg.theta1 - leg.theta2));
    const double u = std::cos(t2) * std::sin(t3) / den, v = std::cos(t3) / den;
    const double w = std::sin(t2) * std::sin(t2) / den;
    const double phi = g.leg_angles[static_cast<std::size_t>(i)];
    jacobian.row(i) << std::cos(phi) * u - std::sin(phi) * v, std::sin(phi) * u + std::cos(phi) * v,
        w;
  }
  return jacobian;
}

/// What reaches the hand when a driver that believes in `believed` asks for `force`: torque
/// J^T F with J = believed^-1, felt through the exact one.
inline Vector3 felt_force(const Matrix3& believed, const Matrix3& exact, const Vector3& force) {
  const Vector3 torque = believed.inverse().transpose() * force;
  return exact.transpose() * torque;
}

}  // namespace haptic
