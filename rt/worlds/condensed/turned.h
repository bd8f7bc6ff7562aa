#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// A wrench or motion (linear; angular) in axes turned by `turn`.
inline Vector6 turned(const Vector6& v, const Matrix3& turn) HAPTIC_REALTIME {
  Vector6 to;
  to << turn * v.head<3>(), turn * v.tail<3>();
  return to;
}

/// The same of a matrix that maps such vectors to such vectors.
inline Matrix6 turned(const Matrix6& of, const Matrix3& by) HAPTIC_REALTIME {
  Matrix6 turn = Matrix6::Zero();
  turn.topLeftCorner<3, 3>() = by;
  turn.bottomRightCorner<3, 3>() = by;
  return turn * of * turn.transpose();
}

}  // namespace haptic::condensed
