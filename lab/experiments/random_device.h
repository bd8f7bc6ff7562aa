#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic {

/// A number between -1 and 1.
inline double uniform(std::mt19937& random) {
  return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
}

/// Places of the device over the middle of a sheet: three of four within some cells of the last,
/// the others anywhere; up to `depth` from z = 0, or exactly on, above or below a corner or the
/// middle of an edge.
class RandomDevice {
 public:
  static constexpr double kSpacing = 0.01;  ///< of the particles [m]

  RandomDevice(const ClothMesh& mesh, double depth, std::mt19937& random)
      : side_(static_cast<int>(mesh.grid->nx)), depth_(depth), random_(random) {}

  /// @param x  particles [m], 3n values
  Vector3 next(std::span<const double> x) {
    const bool far = random_() % 4 == 0;
    i_ = far ? anywhere() : nearby(i_);
    j_ = far ? anywhere() : nearby(j_);
    const auto corner = static_cast<std::size_t>(j_ * side_ + i_);
    Vector3 device = cloth::at(x, corner);
    const unsigned kind = random_() % 4;
    if (kind >= 2) {
      device += kSpacing * Vector3(uniform(random_), uniform(random_), 0.0);
      device.z() = depth_ * uniform(random_);
      return device;
    }
    if (kind == 1) {
      const std::size_t other = corner + (random_() % 2 == 0 ? 1u : static_cast<unsigned>(side_));
      device = 0.5 * (device + cloth::at(x, other));
    }
    device.z() += depth_ * (static_cast<double>(random_() % 3) - 1.0);
    return device;
  }

 private:
  int low() const { return side_ / 6; }
  int high() const { return side_ - 1 - side_ / 6; }
  int anywhere() { return std::uniform_int_distribution<int>(low(), high())(random_); }
  int nearby(int index) {
    return std::clamp(index + std::uniform_int_distribution<int>(-3, 3)(random_), low(), high());
  }

  int side_;
  double depth_;  // m
  std::mt19937& random_;
  int i_ = side_ / 2, j_ = side_ / 2;
};

}  // namespace haptic
