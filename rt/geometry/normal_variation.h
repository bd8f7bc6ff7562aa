#pragma once

#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

/// Of points next to each other: how far they are apart on average, and by how much their normals
/// differ (root mean square), both 0 for fewer than two points.
struct ShellVariation {
  double spacing = 0.0;  ///< m
  double angle = 0.0;    ///< rad
};

/// Of at most 400 points of a shell at rest and the nearest of all others to each.
ShellVariation normal_variation(const PointShell& shell);

/// The angle [rad] by which the gradient of a field turns over `spacing` [m] > 0 along its surface,
/// root mean square over at most 400 places and directions, always the same ones; 0 where no
/// surface is found. The places are those nearest to points that are drawn evenly inside, so that
/// convex edges count little: of a cube of side a, the angle is at most sqrt(3) spacing / a right
/// angles.
double normal_variation(const SignedField& field, double spacing);

}  // namespace haptic
