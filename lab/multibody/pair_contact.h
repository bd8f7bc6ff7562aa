#pragma once

#include <array>
#include <cstdint>

#include "shared/math/pose.h"

// Penalty contact of a point of body B with the distance field of body A, and its derivatives by
// the motion of both bodies. Source: Xu, Zhao & Barbic 2014, section 4.1 (force d k n with the
// distance of the field and the normal of the point) and 4.2 (damping).

namespace haptic {

/// Which derivatives of a contact the implicit step has (Xu, Zhao & Barbic 2014, figure 12).
enum class PairGradient : std::uint8_t {
  kExact,          ///< all
  kFixedNormal,    ///< without the rotation of the point's normal with its body
  kNormal,         ///< the point's normal instead of the gradient of the field's distance
  kNormalNoTurns,  ///< the same without the rotation of normals and lever arms: symmetric
  kNone,           ///< none, of springs and dampers: symplectic Euler
};

/// Motion of one of the bodies of a contact.
struct PairBody {
  Vector3 centre = Vector3::Zero();     ///< of mass, world [m]
  Vector3 v = Vector3::Zero();          ///< of the centre of mass [m/s]
  Vector3 w = Vector3::Zero();          ///< rad/s
  Matrix3 w_by_turn = Matrix3::Zero();  ///< d w / d(rotation vector), momentum constant [1/s]
};

/// A point of B in the field of A.
struct PairPoint {
  Vector3 position;  ///< world [m]
  Vector3 normal;    ///< of the point, into B, unit
  Vector3 gradient;  ///< of the distance in the field of A, world axes
  double distance;   ///< in the field of A, < 0 [m]
  double stiffness;  ///< k [N/m]
  double damping;    ///< N s/m, in all directions
};

/// Sum over the points of a pair. Bodies: 0 is A, with the field, 1 is B, with the points; rows:
/// force and torque about the body's centre of mass.
struct PairWrench {
  using Blocks = std::array<std::array<Matrix6, 2>, 2>;  ///< [of body][by body]

  PairWrench();
  std::array<Vector6, 2> value;  ///< N, N m
  Blocks by_pose;                ///< by (x, rotation vector)
  Blocks by_velocity;            ///< by (v, w)

  void add(const PairPoint& point, const PairBody& a, const PairBody& b, PairGradient gradient);
};

}  // namespace haptic
