#include "host/view/shape_surface.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace haptic {
namespace {

constexpr std::uint32_t kAround = 64;  // vertices of a circle

/// A place of a curve in the half-plane (distance from z, z) with its outward normal there.
struct ProfilePoint {
  double r, z, normal_r, normal_z;
};

class Maker {
 public:
  explicit Maker(const Pose& pose) : pose_(pose) {}

  std::uint32_t add(const Vector3& p, const Vector3& normal) {
    positions_.push_back(pose_.position + pose_.orientation * p);
    normals_.push_back(pose_.orientation * normal);
    return static_cast<std::uint32_t>(positions_.size() - 1);
  }
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    indices_.insert(indices_.end(), {a, b, c});
  }

  /// Surface of revolution of the curve about z; the curve has the body on its left.
  void revolve(const std::vector<ProfilePoint>& profile) {
    for (const ProfilePoint& p : profile) {
      for (std::uint32_t i = 0; i <= kAround; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kAround;
        const double c = std::cos(angle), s = std::sin(angle);
        add({p.r * c, p.r * s, p.z}, {p.normal_r * c, p.normal_r * s, p.normal_z});
      }
    }
    for (std::uint32_t ring = 0; ring + 1 < profile.size(); ++ring) {
      for (std::uint32_t i = 0; i < kAround; ++i) {
        const std::uint32_t a = ring * (kAround + 1) + i, b = a + kAround + 1;
        triangle(a, a + 1, b);
        triangle(b, a + 1, b + 1);
      }
    }
  }

  /// Rectangle about `centre` with the half-sides u and v, normal u x v.
  void rectangle(const Vector3& centre, const Vector3& u, const Vector3& v) {
    const Vector3 normal = u.cross(v).normalized();
    const std::uint32_t first = add(centre - u - v, normal);
    add(centre + u - v, normal), add(centre + u + v, normal), add(centre - u + v, normal);
    triangle(first, first + 1, first + 2);
    triangle(first, first + 2, first + 3);
  }

  DisplaySurface take() {
    DisplaySurface surface;
    const auto rows = static_cast<Eigen::Index>(positions_.size());
    surface.positions.resize(rows, 3);
    surface.normals.resize(rows, 3);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      surface.positions.row(i) = positions_[at].cast<float>().transpose();
      surface.normals.row(i) = normals_[at].cast<float>().transpose();
    }
    surface.indices = std::move(indices_);
    return surface;
  }

 private:
  Pose pose_;
  std::vector<Vector3> positions_, normals_;
  std::vector<std::uint32_t> indices_;
};

/// Part of a circle of `radius` about (r, z), from one angle (above the plane z = 0) to another.
void append_arc(std::vector<ProfilePoint>& profile, double r, double z, double radius, double from,
                double to) {
  constexpr int kSteps = kAround / 2;
  for (int i = 0; i <= kSteps; ++i) {
    const double angle = from + (to - from) * i / kSteps;
    const double c = std::cos(angle), s = std::sin(angle);
    profile.push_back({r + radius * c, z + radius * s, c, s});
  }
}

}  // namespace

DisplaySurface shape_surface(const AnalyticShape& shape, const Pose& pose) {
  constexpr double kQuarter = 0.5 * std::numbers::pi;
  Maker maker(pose);
  std::vector<ProfilePoint> profile;
  const auto& size = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      append_arc(profile, 0.0, 0.0, size[0], -kQuarter, kQuarter);
      break;
    case ShapeKind::kCapsule:
      append_arc(profile, 0.0, -0.5 * size[1], size[0], -kQuarter, 0.0);
      append_arc(profile, 0.0, 0.5 * size[1], size[0], 0.0, kQuarter);
      break;
    case ShapeKind::kTorus:
      append_arc(profile, size[0], 0.0, size[1], -2.0 * kQuarter, 2.0 * kQuarter);
      break;
    case ShapeKind::kPlane:
      maker.rectangle(Vector3::Zero(), 0.5 * size[0] * Vector3::UnitX(),
                      0.5 * size[0] * Vector3::UnitY());
      break;
    case ShapeKind::kBox:
      for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        const auto half = [&](int a) {
          return Vector3(0.5 * size[static_cast<std::size_t>(a)] * Vector3::Unit(a));
        };
        maker.rectangle(half(axis), half(next), half(last));
        maker.rectangle(-half(axis), half(last), half(next));
      }
      break;
  }
  if (!profile.empty()) maker.revolve(profile);
  return maker.take();
}

}  // namespace haptic
