#include "rt/worlds/cloth/touch/touch_force.h"

#include <fmt/format.h>

#include <cmath>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/error.h"

namespace haptic::cloth {

namespace {

/// A plane that the goal violates by less than this share of the depth is satisfied.
constexpr double kTolerance = 1e-9;

Vector3 unit_or_zero(const Vector3& v) HAPTIC_REALTIME {
  const double length = v.norm();
  return length > 0.0 ? Vector3(v / length) : Vector3::Zero();
}

/// Ruspini's two updates: the goal in front of the shaded planes, held by the true ones. All planes
/// go through the god-object, which is the origin. @returns false if either has no solution
bool sub_proxy(std::span<const HalfSpace> shaded, std::span<const HalfSpace> planes,
               const Vector3& device, Vector3& goal) HAPTIC_REALTIME {
  const double tolerance = kTolerance * device.norm();
  NearestPoint first, second;
  if (!nearest_point(shaded, device, tolerance, first) ||
      !nearest_point(planes, first.point, tolerance, second)) {
    return false;
  }
  goal = second.point;
  if (second.count > 0) return true;
  // In front of all: back to the plane that is nearest.
  double least = planes[0].normal.dot(goal);
  Vector3 normal = planes[0].normal;
  for (const HalfSpace& plane : planes.subspan(1)) {
    const double height = plane.normal.dot(goal);
    if (height >= least) continue;
    least = height;
    normal = plane.normal;
  }
  goal -= least * normal;
  return true;
}

}  // namespace

VertexFans::VertexFans(std::span<const std::array<std::uint32_t, 3>> triangles,
                       std::size_t particles)
    : triangles_(triangles.begin(), triangles.end()),
      first_(particles + 1, 0),
      around_(3 * triangles.size()) {
  for (const auto& triangle : triangles_) {
    for (const std::uint32_t corner : triangle) ++first_[corner + 1];
  }
  for (std::size_t i = 0; i < particles; ++i) first_[i + 1] += first_[i];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    for (const std::uint32_t corner : triangles_[t]) around_[next[corner]++] = t;
  }
}

Vector3 VertexFans::normal(std::uint32_t particle,
                           std::span<const double> x) const HAPTIC_REALTIME {
  Vector3 sum = Vector3::Zero();
  for (std::uint32_t k = first_[particle]; k < first_[particle + 1]; ++k) {
    const Corners t = corners(x, triangles_[around_[k]]);
    sum += (t.b - t.a).cross(t.c - t.a);
  }
  return unit_or_zero(sum);
}

TouchForce::TouchForce(std::span<const std::array<std::uint32_t, 3>> triangles,
                       std::size_t particles, double stiffness, ForceShading shading)
    : fans_(triangles, particles), stiffness_(stiffness), shading_(shading) {
  if (!std::isfinite(stiffness) || stiffness < 0.0) {
    throw InputError("", "stiffness", fmt::format("{}", stiffness), "a number >= 0");
  }
}

Vector3 TouchForce::interpolated_normal(const GodObject& god, const TouchContact& contact,
                                        std::span<const double> x) const HAPTIC_REALTIME {
  const std::array<std::uint32_t, 3>& t = god.triangles()[contact.triangle];
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    sum += contact.weights[static_cast<Eigen::Index>(i)] * fans_.normal(t[i], x);
  }
  // The normals are those of the front; the god-object may be behind.
  const double side = sum.dot(contact.normal);
  return side == 0.0 ? contact.normal : unit_or_zero(side > 0.0 ? sum : -sum);
}

Vector3 TouchForce::force(const GodObject& god, const Vector3& device,
                          std::span<const double> x) const HAPTIC_REALTIME {
  const std::span<const TouchContact> contacts = god.contacts();
  if (contacts.empty()) return Vector3::Zero();
  Vector3 pressing = Vector3::Zero();  // device -> god-object along the normals [m]
  for (const TouchContact& contact : contacts) pressing += contact.share * contact.normal;
  const Vector3 friction = god.position() - device - pressing;

  std::array<HalfSpace, 3> planes, shaded;
  Vector3 direction = Vector3::Zero();
  for (std::size_t i = 0; i < contacts.size() && shading_ != ForceShading::kNone; ++i) {
    const Vector3 normal = interpolated_normal(god, contacts[i], x);
    direction += contacts[i].share * normal;
    planes[i] = {contacts[i].normal, 0.0};
    shaded[i] = {normal, 0.0};
  }
  Vector3 felt = pressing;
  Vector3 goal;
  if (shading_ == ForceShading::kInterpolated) {
    felt = pressing.norm() * unit_or_zero(direction);
  } else if (shading_ == ForceShading::kSubProxy &&
             sub_proxy({shaded.data(), contacts.size()}, {planes.data(), contacts.size()},
                       -pressing, goal)) {
    felt = goal + pressing;
  }
  return stiffness_ * (felt + friction);
}

}  // namespace haptic::cloth
