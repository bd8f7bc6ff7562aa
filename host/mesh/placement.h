#pragma once

#include "shared/math/pose.h"

namespace haptic {

/// How the coordinates of a file become those of the model: turned and scaled about the origin of
/// the file, then moved.
struct Placement {
  double scale = 1.0;  ///< m per unit of the file, > 0
  Matrix3 rotation = Matrix3::Identity();
  Vector3 shift = Vector3::Zero();  ///< [m]

  Vector3 operator()(const Vector3& p) const { return scale * (rotation * p) + shift; }
};

}  // namespace haptic
