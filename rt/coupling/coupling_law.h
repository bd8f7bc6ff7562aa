#pragma once

#include <limits>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Spring between manipulandum M and simulation object SO, with a force or torque of at most
/// `maximum`.
/// Source of the laws below: docs/methods/contact-and-coupling.md, "Virtual coupling".
struct SpringLaw {
  double stiffness;  ///< k_VC [N/m], or k_T [N·m] of the torque law; > 0
  double maximum = std::numeric_limits<double>::infinity();  ///< F_max [N] or T_max [N·m], > 0
  /// Part of F_max up to which the force is that of the spring, in (0, 1]: 1/2 as published.
  double linear = 1.0;
};

/// Magnitude f(r) [N] of the saturated spring: k r up to r_lin = c F_max / k, c = `linear`, from
/// there on F_max (1 - (1 - c) exp(-c (r / r_lin - 1) / (1 - c))); C1 but for c = 1, where it is
/// F_max.
double saturated_magnitude(double r, const SpringLaw& law) HAPTIC_REALTIME;

/// Force on the SO [N], `gap` = x_m - x_s [m] (Barbic 2007, Eq 4.40).
Vector3 coupling_force(const Vector3& gap, const SpringLaw& law) HAPTIC_REALTIME;

/// d(force on the SO)/d(x_s) [N/m] (Barbic 2007, Eq 4.41); -k I inside the linear range.
Matrix3 coupling_force_gradient(const Vector3& gap, const SpringLaw& law) HAPTIC_REALTIME;

/// Secant of the force, -(f/r) I: the slope of the straight line from the present force to zero at
/// M. In free space, a Newton step with it ends at M from any distance; with the tangent it
/// overshoots (22 times at r = 5 r_lin).
Matrix3 coupling_force_secant(const Vector3& gap, const SpringLaw& law) HAPTIC_REALTIME;

/// Torque on the SO [N·m], k_T sin(theta/2) about the axis of the shorter rotation SO -> M
/// (Barbic 2007, Eq 4.14, 4.15), clipped to `maximum`.
Vector3 coupling_torque(const Quaternion& q_m, const Quaternion& q_s,
                        const SpringLaw& law) HAPTIC_REALTIME;

/// d(torque on the SO)/d(w), w the world-frame rotation of the SO [N·m/rad], also for large
/// rotations (Barbic 2007, Eq 4.24); if the torque is clipped, only its direction changes.
Matrix3 coupling_torque_gradient(const Quaternion& q_m, const Quaternion& q_s,
                                 const SpringLaw& law) HAPTIC_REALTIME;

/// Gradient of the unclipped law times the ratio of clipped to unclipped torque, as in
/// coupling_force_secant.
Matrix3 coupling_torque_secant(const Quaternion& q_m, const Quaternion& q_s,
                               const SpringLaw& law) HAPTIC_REALTIME;

}  // namespace haptic
