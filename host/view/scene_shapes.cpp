#include "host/view/scene_shapes.h"

#include <array>
#include <cmath>
#include <utility>

namespace haptic {

DisplaySurface quad(const Eigen::Vector3d& centre, double half) {
  DisplaySurface surface;
  surface.positions.resize(4, 3);
  surface.normals.resize(4, 3);
  constexpr std::array<std::array<double, 2>, 4> kCorners = {{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}};
  for (Eigen::Index i = 0; i < 4; ++i) {
    const auto& corner = kCorners[static_cast<std::size_t>(i)];
    const Eigen::Vector3d p = centre + half * Eigen::Vector3d(corner[0], 0.0, corner[1]);
    surface.positions.row(i) = p.cast<float>().transpose();
    surface.normals.row(i) = Eigen::RowVector3f::UnitY();
  }
  surface.indices = {0, 1, 2, 0, 2, 3};
  return surface;
}

namespace {

DisplaySurface arrow_of(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius,
                        int sides) {
  const Eigen::Vector3d axis = to - from;
  const Eigen::Vector3d z = axis.normalized();
  const Eigen::Vector3d x = z.unitOrthogonal();
  const Eigen::Vector3d y = z.cross(x);
  const std::array<std::pair<double, double>, 4> profile = {
      {{0.0, radius}, {0.75, radius}, {0.75, 2.5 * radius}, {1.0, 0.0}}};
  DisplaySurface surface;
  surface.positions.resize(4 * (sides + 1), 3);
  surface.normals.resize(4 * (sides + 1), 3);
  Eigen::Index row = 0;
  for (const auto& [along, r] : profile) {
    for (int i = 0; i <= sides; ++i, ++row) {
      const double angle = 2.0 * M_PI * i / sides;
      const Eigen::Vector3d out = std::cos(angle) * x + std::sin(angle) * y;
      surface.positions.row(row) = (from + along * axis + r * out).cast<float>().transpose();
      surface.normals.row(row) = out.cast<float>().transpose();
    }
  }
  const auto around = static_cast<std::uint32_t>(sides);
  for (std::uint32_t ring = 0; ring < 3; ++ring) {
    for (std::uint32_t i = 0; i < around; ++i) {
      const std::uint32_t a = ring * (around + 1) + i;
      const std::uint32_t b = a + around + 1;
      surface.indices.insert(surface.indices.end(), {a, a + 1, b, b, a + 1, b + 1});
    }
  }
  return surface;
}

/// Appends a surface to another.
void append(DisplaySurface& all, const DisplaySurface& one) {
  const Eigen::Index before = all.positions.rows();
  all.positions.conservativeResize(before + one.positions.rows(), 3);
  all.normals.conservativeResize(before + one.normals.rows(), 3);
  all.positions.bottomRows(one.positions.rows()) = one.positions;
  all.normals.bottomRows(one.normals.rows()) = one.normals;
  for (const std::uint32_t index : one.indices) {
    all.indices.push_back(static_cast<std::uint32_t>(before) + index);
  }
}

}  // namespace

DisplaySurface arrow(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius) {
  return arrow_of(from, to, radius, 24);
}

DisplaySurface arrows(std::span<const std::pair<Vector3, Vector3>> shafts, double radius) {
  DisplaySurface all;
  for (const auto& [from, to] : shafts) append(all, arrow_of(from, to, radius, 6));
  return all;
}

DisplaySurface markers(std::span<const Vector3> points, double radius) {
  constexpr std::uint32_t kCorners = 6;
  constexpr std::array<std::uint32_t, 24> kFaces = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                                    2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  DisplaySurface surface;
  const auto rows = static_cast<Eigen::Index>(kCorners * points.size());
  surface.positions.resize(rows, 3);
  surface.normals.resize(rows, 3);
  surface.indices.reserve(kFaces.size() * points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto first = static_cast<std::uint32_t>(kCorners * i);
    for (std::uint32_t corner = 0; corner < kCorners; ++corner) {
      const Vector3 out = (corner % 2 == 0 ? 1.0 : -1.0) * Vector3::Unit(corner / 2);
      surface.positions.row(first + corner) = (points[i] + radius * out).cast<float>().transpose();
      surface.normals.row(first + corner) = out.cast<float>().transpose();
    }
    for (const std::uint32_t corner : kFaces) surface.indices.push_back(first + corner);
  }
  return surface;
}

DisplaySurface axes(std::span<const Pose> frames, int axis, double length) {
  DisplaySurface all;
  for (const Pose& frame : frames) {
    const Vector3 tip = frame.position + length * (frame.orientation * Vector3::Unit(axis));
    append(all, arrow(frame.position, tip, 0.03 * length));
  }
  return all;
}

}  // namespace haptic
