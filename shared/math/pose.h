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

/// Rigid placement: x_world = orientation * x_material + position.
struct Pose {
  Vector3 position = Vector3::Zero();               ///< m
  Quaternion orientation = Quaternion::Identity();  ///< unit, Hamilton, material -> world

  Vector3 to_world(const Vector3& p_material) const HAPTIC_REALTIME {
    return orientation * p_material + position;
  }
  Vector3 to_material(const Vector3& p_world) const HAPTIC_REALTIME {
    return orientation.conjugate() * (p_world - position);
  }
};

/// Velocity of a body, world axes.
struct Twist {
  Vector3 linear = Vector3::Zero();   ///< m/s
  Vector3 angular = Vector3::Zero();  ///< rad/s
};

/// Force and torque, world axes; the torque is about the body's material origin.
struct Wrench {
  Vector3 force = Vector3::Zero();   ///< N
  Vector3 torque = Vector3::Zero();  ///< N·m
};

/// Matrix a~ with a~ b = a x b.
inline Matrix3 skew(const Vector3& a) HAPTIC_REALTIME {
  Matrix3 m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
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

/// Smallest rotation that turns the direction of `from` to that of `to`; of opposite directions,
/// half a turn about some axis across them. @param from,to  not zero
Quaternion smallest_rotation(const Vector3& from, const Vector3& to) HAPTIC_REALTIME;

/// `from` at t = 0, `to` at t = 1; between them the position is linear in t and the rotation vector
/// of the way between them scaled by t.
Pose interpolated(const Pose& from, const Pose& to, double t) HAPTIC_REALTIME;

bool is_finite(const Pose& pose) HAPTIC_REALTIME;
bool is_finite(const Wrench& wrench) HAPTIC_REALTIME;

}  // namespace haptic
