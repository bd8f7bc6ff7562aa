#pragma once

#include <random>

#include "shared/math/pose.h"

namespace haptic {

/// Reproducible random vectors and rotations of the coupling tests.
class RandomPoses {
 public:
  explicit RandomPoses(unsigned seed) : engine_(seed) {}

  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vector3 vector(double half_width) {
    return {number(-half_width, half_width), number(-half_width, half_width),
            number(-half_width, half_width)};
  }
  Vector3 direction() {
    Vector3 v = vector(1.0);
    while (v.norm() < 0.1 || v.norm() > 1.0) v = vector(1.0);
    return v.normalized();
  }
  /// Rotation by `angle` about a random axis.
  Quaternion rotation(double angle) { return rotation_exponential(angle * direction()); }
  Quaternion rotation() { return rotation(number(0.0, 3.1)); }
  /// One of the two quaternions of the rotation.
  Quaternion random_sign(const Quaternion& q) {
    return number(-1.0, 1.0) < 0.0 ? Quaternion(-q.w(), -q.x(), -q.y(), -q.z()) : q;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace haptic
