#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

#include "shared/realtime.h"

namespace haptic {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Quaternion = Eigen::Quaterniond;

/// q * v of a unit quaternion q. Written by components, since this header is included almost
/// everywhere and Eigen's expressions would be instantiated in each of these files.
inline Vector3 rotated(const Quaternion& q, const Vector3& v) HAPTIC_REALTIME {
  const double x = q.x(), y = q.y(), z = q.z(), w = q.w();
  double a = y * v.z() - z * v.y(), b = z * v.x() - x * v.z(), c = x * v.y() - y * v.x();
  a += a;
  b += b;
  c += c;
  return {v.x() + w * a + (y * c - z * b), v.y() + w * b + (z * a - x * c),
          v.z() + w * c + (x * b - y * a)};
}

/// Rigid placement: x_world = orientation * x_material + position.
struct Pose {
  Vector3 position{0.0, 0.0, 0.0};             ///< m
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};  ///< unit, Hamilton, material -> world

  Vector3 to_world(const Vector3& p_material) const HAPTIC_REALTIME {
    const Vector3 p = rotated(orientation, p_material);
    return {p.x() + position.x(), p.y() + position.y(), p.z() + position.z()};
  }
  Vector3 to_material(const Vector3& p_world) const HAPTIC_REALTIME {
    return rotated(
        {orientation.w(), -orientation.x(), -orientation.y(), -orientation.z()},
        {p_world.x() - position.x(), p_world.y() - position.y(), p_world.z() - position.z()});
  }
};

/// Velocity of a body, world axes.
struct Twist {
  Vector3 linear{0.0, 0.0, 0.0};   ///< m/s
  Vector3 angular{0.0, 0.0, 0.0};  ///< rad/s
};

/// Force and torque, world axes; the torque is about the body's material origin.
struct Wrench {
  Vector3 force{0.0, 0.0, 0.0};   ///< N
  Vector3 torque{0.0, 0.0, 0.0};  ///< N·m
};

/// Matrix a~ with a~ b = a x b.
inline Matrix3 skew(const Vector3& a) HAPTIC_REALTIME {
  const double columns[] = {0.0, a.z(), -a.y(), -a.z(), 0.0, a.x(), a.y(), -a.x(), 0.0};
  return Matrix3(columns);
}

/// Of the two quaternions of one rotation, the one with scalar part >= 0
/// (Barbic 2007, eq 4.15).
inline Quaternion to_positive_hemisphere(const Quaternion& q) HAPTIC_REALTIME {
  return q.w() < 0.0 ? Quaternion(-q.w(), -q.x(), -q.y(), -q.z()) : q;
}

/// Rotation by |v| [rad] about v; first-order accurate down to v = 0.
inline Quaternion rotation_exponential(const Vector3& v) HAPTIC_REALTIME {
  const double half = 0.5 * v.norm();
  const double scale = half < 1e-8 ? 0.5 - half * half / 12.0 : 0.5 * std::sin(half) / half;
  return {std::cos(half), scale * v.x(), scale * v.y(), scale * v.z()};
}

// Defined in pose.cpp: their templates are costly to compile in every file that includes this one.

/// Rotation vector of a unit quaternion, the shorter way, |v| <= pi.
Vector3 rotation_logarithm(const Quaternion& q) HAPTIC_REALTIME;

/// v, shortened to the length `maximum` where it is longer.
Vector3 limited(const Vector3& v, double maximum) HAPTIC_REALTIME;

/// Smallest rotation that turns the direction of `from` to that of `to`; of opposite directions,
/// half a turn about some axis across them. @param from,to  not zero
Quaternion smallest_rotation(const Vector3& from, const Vector3& to) HAPTIC_REALTIME;

/// `from` at t = 0, `to` at t = 1; between them the position is linear in t and the rotation vector
/// of the way between them scaled by t.
Pose interpolated(const Pose& from, const Pose& to, double t) HAPTIC_REALTIME;

bool is_finite(const Pose& pose) HAPTIC_REALTIME;
bool is_finite(const Wrench& wrench) HAPTIC_REALTIME;

}  // namespace haptic
