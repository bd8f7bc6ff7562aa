#include "lab/cloth/force_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic::lab {

namespace {

constexpr std::size_t kMaxPoints = std::size_t{1} << 24;
/// A point this far outside, in spacings, is on the face: rounding of a point of the lattice.
constexpr double kOnFace = 1e-9;

}  // namespace

ForceGrid::ForceGrid(const Vector3& origin, double spacing,
                     const std::array<std::uint32_t, 3>& points)
    : origin_(origin), spacing_(spacing), points_(points) {
  if (!origin.allFinite()) throw InputError("", "origin", "not finite", "finite numbers");
  if (!std::isfinite(spacing) || spacing <= 0.0) {
    throw InputError("", "spacing", fmt::format("{}", spacing), "a number > 0");
  }
  std::size_t count = 1;
  for (const std::uint32_t n : points) {
    if (n < 2) throw InputError("", "points", fmt::format("{} along an axis", n), "2 or more");
    if (n > kMaxPoints / count) {
      throw InputError("", "points", fmt::format("{} x {} x {}", points[0], points[1], points[2]),
                       fmt::format("at most {} in all", kMaxPoints));
    }
    count *= n;
  }
  forces_.assign(count, Vector3::Zero());
}

Vector3 ForceGrid::point(std::size_t i) const HAPTIC_REALTIME {
  const std::size_t nx = points_[0], ny = points_[1];
  const std::size_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
  return origin_ +
         spacing_ * Vector3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
}

bool ForceGrid::locate(const Vector3& p, std::array<std::size_t, 3>& cell,
                       Vector3& inside) const HAPTIC_REALTIME {
  const Vector3 steps = (p - origin_) / spacing_;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double last = points_[axis] - 1;
    double s = steps[static_cast<Eigen::Index>(axis)];
    if (!(s >= -kOnFace && s <= last + kOnFace)) return false;
    s = std::clamp(s, 0.0, last);
    // The far face belongs to the last cell.
    cell[axis] = std::min(static_cast<std::size_t>(s), std::size_t{points_[axis]} - 2);
    inside[static_cast<Eigen::Index>(axis)] = s - static_cast<double>(cell[axis]);
  }
  return true;
}

std::size_t ForceGrid::index(const std::array<std::size_t, 3>& cell,
                             unsigned corner) const HAPTIC_REALTIME {
  const std::size_t i = cell[0] + (corner & 1u), j = cell[1] + (corner >> 1 & 1u),
                    k = cell[2] + (corner >> 2 & 1u);
  return (k * points_[1] + j) * points_[0] + i;
}

Vector3 ForceGrid::force(const Vector3& p) const HAPTIC_REALTIME {
  std::array<std::size_t, 3> cell;
  Vector3 inside;
  if (!locate(p, cell, inside)) return Vector3::Zero();
  Vector3 sum = Vector3::Zero();
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1.0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const double u = inside[static_cast<Eigen::Index>(axis)];
      weight *= corner >> axis & 1u ? u : 1.0 - u;
    }
    sum += weight * forces_[index(cell, corner)];
  }
  return sum;
}

bool ForceGrid::around(const Vector3& p, std::array<std::size_t, 8>& points) const HAPTIC_REALTIME {
  std::array<std::size_t, 3> cell;
  Vector3 inside;
  if (!locate(p, cell, inside)) return false;
  for (unsigned corner = 0; corner < 8; ++corner) points[corner] = index(cell, corner);
  return true;
}

}  // namespace haptic::lab
