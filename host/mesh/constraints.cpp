#include "host/mesh/constraints.h"

#include <fmt/format.h>

#include <cmath>

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

bool contains(const PlaneConstraint& plane, const Vector3& x, double slack) {
  const bool below = plane.side == PlaneConstraint::Side::kBelow;
  return below ? x[plane.axis] <= plane.distance + slack : x[plane.axis] >= plane.distance - slack;
}

bool contains(const BoxConstraint& box, const Vector3& x, double slack) {
  return (x.array() >= box.min.array() - slack).all() &&
         (x.array() <= box.max.array() + slack).all();
}

bool contains(const SphereConstraint& sphere, const Vector3& x, double slack) {
  return (x - sphere.centre).norm() <= sphere.radius + slack;
}

bool contains(const CylinderConstraint& cylinder, const Vector3& x, double slack) {
  const double length = (cylinder.to - cylinder.from).norm();
  const Vector3 axis = (cylinder.to - cylinder.from) / length, from = x - cylinder.from;
  const double along = axis.dot(from);
  return along >= -slack && along <= length + slack &&
         (from - along * axis).norm() <= cylinder.radius + slack;
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
  const auto select = [&](const auto& regions) {
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      const Vector3 x = vertices[v] - lower_bound;
      for (const auto& region : regions) {
        if (contains(region, x, slack)) selected[v] = 1;
      }
    }
  };
  select(constraints.planes);
  select(constraints.boxes);
  select(constraints.spheres);
  select(constraints.cylinders);
  select(constraints.patches);

  std::vector<std::uint32_t> fixed;
  for (std::uint32_t v = 0; v < selected.size(); ++v) {
    if (selected[v] != 0) fixed.push_back(v);
  }
  if (fixed.empty()) {
    throw InputError(source, "constraints", "no mesh vertex selected",
                     "predicates that reach the mesh, or no [constraints] at all");
  }
  if (fixed.size() == vertices.size()) {
    throw InputError(source, "constraints",
                     fmt::format("all {} mesh vertices selected", fixed.size()),
                     "at least one free vertex");
  }
  return fixed;
}

}  // namespace haptic
