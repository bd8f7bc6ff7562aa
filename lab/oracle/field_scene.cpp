#include "lab/oracle/field_scene.h"

#include <algorithm>
#include <cmath>

namespace haptic::oracle {

Vector3 random_vector(Random& random, double half_side) {
  std::uniform_real_distribution<double> u(-half_side, half_side);
  const double x = u(random), y = u(random), z = u(random);
  return {x, y, z};
}

Vector3 random_direction(Random& random) {
  std::normal_distribution<double> n;
  const double x = n(random), y = n(random), z = n(random);
  return Vector3(x, y, z).normalized();
}

Pose random_pose(Random& random, double half_side) {
  std::normal_distribution<double> n;
  const double w = n(random), x = n(random), y = n(random), z = n(random);
  return {random_vector(random, half_side), Quaternion(w, x, y, z).normalized()};
}

double box_distance(const Vector3& p, const Vector3& half_sides) {
  const Vector3 e = p.cwiseAbs() - half_sides;
  return e.cwiseMax(0.0).norm() + std::min(e.maxCoeff(), 0.0);
}

double sphere_distance(const Vector3& p, double radius) {
  return p.norm() - radius;
}

FieldData sample_field(const std::function<double(const Vector3&)>& distance, std::uint32_t n,
                       double side) {
  const double h = side / n, low = -0.5 * side;
  FieldData field;
  field.values.reserve(std::size_t{n + 1} * (n + 1) * (n + 1));
  double boundary = std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k <= n; ++k) {
    for (std::uint32_t j = 0; j <= n; ++j) {
      for (std::uint32_t i = 0; i <= n; ++i) {
        const auto d = static_cast<float>(distance({low + h * i, low + h * j, low + h * k}));
        field.values.push_back(d);
        const bool face = i % n == 0 || j % n == 0 || k % n == 0;
        if (face) boundary = std::min<double>(boundary, d);
      }
    }
  }
  field.frame = {low, low, low, h, boundary};
  return field;
}

}  // namespace haptic::oracle
