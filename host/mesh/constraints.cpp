#include "host/mesh/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/error.h"

namespace haptic {
namespace {

void check(std::size_t vertex_count, const Constraints& constraints, const std::string& source) {
  for (std::size_t i = 0; i < constraints.planes.size(); ++i) {
    const PlaneConstraint& plane = constraints.planes[i];
    const std::string key = fmt::format("constraints.planes[{}]", i);
    if (plane.axis < 0 || plane.axis > 2) {
      throw InputError(source, key, fmt::format("axis {}", plane.axis), "x, y or z");
    }
    if (!std::isfinite(plane.distance)) {
      throw InputError(source, key, fmt::format("distance {}", plane.distance),
                       "a finite number [m]");
    }
  }
  for (std::size_t i = 0; i < constraints.boxes.size(); ++i) {
    const BoxConstraint& box = constraints.boxes[i];
    const std::string key = fmt::format("constraints.boxes[{}]", i);
    if (!box.min.allFinite() || !box.max.allFinite()) {
      throw InputError(source, key, "a corner that is not finite", "three finite numbers [m]");
    }
    if ((box.min.array() > box.max.array()).any()) {
      throw InputError(source, key, "min above max", "min <= max in every axis");
    }
  }
  for (const std::uint32_t id : constraints.vertices) {
    if (id >= vertex_count) {
      throw InputError(source, "constraints.vertices", fmt::format("found {}", id),
                       fmt::format("ids below {} (mesh vertices)", vertex_count));
    }
  }
}

}  // namespace

double depth_in(const PlaneConstraint& plane, const Vector3& x) {
  const double below = plane.distance - x[plane.axis];
  return plane.side == PlaneConstraint::Side::kBelow ? below : -below;
}

double depth_in(const BoxConstraint& box, const Vector3& x) {
  return (x - box.min).cwiseMin(box.max - x).minCoeff();
}

double depth_in(const SphereConstraint& sphere, const Vector3& x) {
  return sphere.radius - (x - sphere.centre).norm();
}

double depth_in(const CylinderConstraint& cylinder, const Vector3& x) {
  const double length = (cylinder.to - cylinder.from).norm();
  const Vector3 axis = (cylinder.to - cylinder.from) / length, from = x - cylinder.from;
  const double along = axis.dot(from);
  return std::min({along, length - along, cylinder.radius - (from - along * axis).norm()});
}

double depth_in(const Constraints& constraints, const Vector3& x) {
  double deepest = -std::numeric_limits<double>::infinity();
  const auto visit = [&](const auto& regions) {
    for (const auto& region : regions) deepest = std::max(deepest, depth_in(region, x));
  };
  visit(constraints.planes);
  visit(constraints.boxes);
  visit(constraints.spheres);
  visit(constraints.cylinders);
  visit(constraints.patches);
  return deepest;
}

std::vector<std::uint32_t> fixed_vertices(std::span<const Vector3> vertices,
                                          const Vector3& lower_bound,
                                          const Constraints& constraints,
                                          const std::string& source) {
  check(vertices.size(), constraints, source);
  if (constraints.empty()) return {};

  // A plane of a grid that lies where a region ends belongs to it.
  Vector3 size = Vector3::Zero();
  for (const Vector3& v : vertices) size = size.cwiseMax((v - lower_bound).cwiseAbs());
  const double slack = 1e-12 * size.maxCoeff();
  std::vector<std::uint8_t> selected(vertices.size(), 0);
  for (const std::uint32_t id : constraints.vertices) selected[id] = 1;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (depth_in(constraints, vertices[v] - lower_bound) >= -slack) selected[v] = 1;
  }

  std::vector<std::uint32_t> fixed;
  for (std::uint32_t v = 0; v < selected.size(); ++v) {
    if (selected[v] != 0) fixed.push_back(v);
  }
  if (fixed.empty()) {
    throw InputError(source, "constraints", "no mesh vertex selected",
                     "regions that contain vertices (larger ones, or a larger mesh.resolution), or "
                     "no [constraints] at all");
  }
  if (fixed.size() == vertices.size()) {
    throw InputError(source, "constraints",
                     fmt::format("all {} mesh vertices selected", fixed.size()),
                     "at least one free vertex");
  }
  return fixed;
}

}  // namespace haptic
