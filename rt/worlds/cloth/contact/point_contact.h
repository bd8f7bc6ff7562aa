#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A point without mass on a spring in the hand, in front of planes that move with a cloth.
///
/// If the site of plane i moves by s_i, the point moves by
///   u = arg min |lag + u|^2 + sum max(0, depth_i)^2 / kGive
///   depth_i = offset_i - n_i . (u - s_i),   lambda_i = max(0, depth_i) / kGive
/// The spring is then r = lag + u = sum lambda_i n_i long, and the force on the cloth at plane i is
/// -k lambda_i n_i: of a convex potential in all s_i. The three degrees of freedom of the point are
/// eliminated together, so k acts along every direction in which planes hold it. They give way a
/// little: so of more than three planes too the load has one distribution.
/// Friction is a spring of stiffness k between hand and cloth along the other directions, up to
/// mu k |r|.
/// Source: docs/methods/cloth.md, "A point in the step".
struct PointContact {
  static constexpr std::size_t kMaxPlanes = 24;
  /// What planes give way, by the spring's length: far below the square of the angle between planes
  /// that are worth telling apart.
  static constexpr double kGive = 1e-4;

  struct Plane {
    /// The site is sum weights[k] x[particles[k]]. Weights sum to 1.
    std::array<std::uint32_t, 3> particles{};
    std::array<double, 3> weights{};
    Vector3 normal = Vector3::Zero();  ///< from the cloth to the point, unit length
    double offset = 0.0;               ///< <= 0 [m]; 0 where the point touches
    double part = 0.0;                 ///< of the friction that acts here; parts sum to 1
  };
  std::array<Plane, kMaxPlanes> planes{};
  std::uint32_t count = 0;
  Vector3 lag = Vector3::Zero();  ///< from the hand to the point at the start of the step [m]
  double stiffness = 0.0;         ///< k >= 0 [N/m]
  double friction = 0.0;          ///< mu >= 0

  using Values = std::array<double, kMaxPlanes>;  ///< one a plane
  /// How the planes hold the point.
  struct Held {
    Vector3 spring = Vector3::Zero();    ///< r [m]
    Values lambda{};                     ///< >= 0 [m]
    std::array<bool, kMaxPlanes> by{};   ///< planes that hold it
    Matrix3 free = Matrix3::Identity();  ///< -du/dlag: what these leave of a motion
  };
  /// @param moved  n_i . s_i [m]
  Held held(const Values& moved) const HAPTIC_REALTIME;
  /// Sets `lambda` to its change with `moved`, with the planes that hold the point.
  void change(const Held& held, const Values& moved, Values& lambda) const HAPTIC_REALTIME;
  /// Changes `lag` so that the spring of a cloth that stands still is as long as if planes did not
  /// give way, to the second order of what they do.
  void make_up() HAPTIC_REALTIME;
};

}  // namespace haptic::cloth
