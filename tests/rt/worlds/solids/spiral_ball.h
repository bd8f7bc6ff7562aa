#pragma once

#include <cmath>
#include <filesystem>
#include <numbers>

#include "tests/rt/worlds/analytic_models.h"

namespace haptic {

/// A rigid homogeneous ball of 2,500 kg/m^3 with points on a spiral, evenly spread. @returns it
inline RigidShape spiral_ball(int points, double radius) {
  RigidShape ball;
  for (int i = 0; i < points; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / points, r = std::sqrt(1.0 - z * z);
    const double angle = std::numbers::pi * (3.0 - std::sqrt(5.0)) * i;
    const Vector3 out(r * std::cos(angle), r * std::sin(angle), z);
    ball.points.push_back(radius * out);
    ball.normals.push_back(-out);
  }
  ball.mass = 2500.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3.0);
  ball.inertia = Vector3::Constant(0.4 * ball.mass * radius * radius);
  return ball;
}

}  // namespace haptic
