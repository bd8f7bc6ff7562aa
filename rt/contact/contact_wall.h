#pragma once

#include <span>

#include "shared/realtime.h"

namespace haptic {

/// Contact whose force over depth is that of one spring, whatever number of points touches: the
/// springs of the points are mounted on a plate that gives way by D against a spring of stiffness K
/// (docs/methods/contact-and-coupling.md, "Wall"):
///
///   V = min over D of  K D^2 / 2 + sum k_i / 2 max(0, depth_i - D)^2
///
/// V is convex in D and a function of the depths alone. At the minimum, K D is the sum of the
/// points' forces.
struct ContactWall {
  /// Of a point: stiffness [N/m] over that of the wall. One point that presses alone makes the
  /// contact softer by the inverse of this.
  static constexpr double kPointRatio = 100.0;

  struct Spring {
    double depth, stiffness;  ///< m, N/m
  };
  /// D [m], >= 0; 0 if no depth is positive.
  /// @param stiffness  K > 0 [N/m]
  static double give(double stiffness, std::span<const Spring> springs) HAPTIC_REALTIME;
};

}  // namespace haptic
