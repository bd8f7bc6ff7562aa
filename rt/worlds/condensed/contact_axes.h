#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The three values of a contact in an array of all contacts.
inline Vector3 contact_vector(std::span<const double> values, std::size_t contact) HAPTIC_REALTIME {
  return {values[3 * contact], values[3 * contact + 1], values[3 * contact + 2]};
}

/// A right-handed frame whose first column is `push`. @param push  unit
inline Matrix3 axes_about(const Vector3& push) HAPTIC_REALTIME {
  const Vector3 away = std::abs(push.x()) < 0.6 ? Vector3::UnitX() : Vector3::UnitY();
  Matrix3 axes;
  axes.col(0) = push;
  axes.col(1) = (away - push * push.dot(away)).normalized();
  axes.col(2) = push.cross(axes.col(1));
  return axes;
}

}  // namespace haptic::condensed
