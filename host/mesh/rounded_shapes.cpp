#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/mesh/implicit_solid.h"
#include "host/mesh/shape_table.h"

namespace haptic {
namespace {

/// Approximate distance to an ellipsoid centred on the origin (exact on the surface to first
/// order).
double ellipsoid_distance(const Vector3& p, const Vector3& radii) {
  const double k0 = p.cwiseQuotient(radii).norm();
  const double k1 = p.cwiseQuotient(radii.cwiseProduct(radii)).norm();
  return k1 < 1e-9 ? -radii.minCoeff() : k0 * (k0 - 1.0) / k1;
}

/// Outline of a bar in the plane whose half width goes linearly from r0 at x = 0 to r1 at x =
/// length, with round ends.
double tapered_outline(double x, double y, double length, double r0, double r1) {
  const double t = std::clamp(x / length, 0.0, 1.0);
  return std::hypot(x - t * length, y) - ((1.0 - t) * r0 + t * r1);
}

/// Handle end at x = 0, bowl towards +x, opening up.
TriangleMesh build_spoon(const ShapeValues& value) {
  const double length = value("length"), width = value("bowl_width"), depth = value("bowl_depth");
  const double thickness = value("thickness");
  const Vector3 radii(0.17 * length, 0.5 * width, depth);
  const Vector3 bowl_centre(length - radii.x(), 0.0, 0.0);
  const double end_radius = 0.5 * value("handle_width"), neck_radius = 0.55 * end_radius;
  const double handle_end = bowl_centre.x() - 0.82 * radii.x();
  if (thickness >= depth || thickness >= 0.5 * width) {
    value.refuse("thickness", "thickness not below bowl depth", "a bowl with a hollow");
  }
  const double rounding = 0.3 * thickness;
  const double arch = value("arch");
  const Implicit solid = [=](const Vector3& p) {
    // Bowl: lower half of an ellipsoidal shell.
    const Vector3 q = p - bowl_centre;
    const double outer = ellipsoid_distance(q, radii);
    const double shell = std::max(outer, -(outer + thickness));
    const double bowl = smooth_intersection(shell, q.z(), 0.6 * thickness);
    // Handle: flat tapered bar that rises in an arch between its end and the rim of the bowl.
    const double s = std::clamp((p.x() - end_radius) / (handle_end - end_radius), 0.0, 1.0);
    const double middle =
        arch * std::sin(std::numbers::pi * s) - 0.5 * thickness - 0.12 * depth * s * s;
    const double outline = tapered_outline(p.x() - end_radius, p.y(), handle_end - end_radius,
                                           end_radius, neck_radius);
    const double dx = outline + rounding;
    const double dz = std::abs(p.z() - middle) - 0.5 * thickness + rounding;
    const double handle = std::hypot(std::max(dx, 0.0), std::max(dz, 0.0)) +
                          std::min(std::max(dx, dz), 0.0) - rounding;
    // The seam is rounded, but nothing grows into the hollow of the bowl.
    return std::max(smooth_union(bowl, handle, 1.2 * thickness),
                    q.z() < 0.0 ? -(outer + thickness) : handle - thickness);
  };
  const BoundingBox box{{0.0, -0.5 * width, -depth}, {length, 0.5 * width, arch + thickness}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

/// Half-sphere shell with a flat foot, opening up; the foot is on z = 0.
TriangleMesh build_bowl(const ShapeValues& value) {
  const double radius = value("radius"), wall = value("wall"), foot = value("foot_radius");
  if (wall >= 0.5 * radius || foot >= radius) {
    value.refuse("wall", "wall or foot too large for the radius", "a bowl with a hollow");
  }
  const double foot_height = 1.5 * wall;
  const double centre = radius + 0.5 * wall;
  const Implicit solid = [=](const Vector3& p) {
    const Vector3 q = p - Vector3(0.0, 0.0, centre);
    const double sphere = q.norm() - radius;
    const double shell = smooth_intersection(std::max(sphere, -(sphere + wall)), q.z(), 0.8 * wall);
    const double ring =
        std::max(std::hypot(p.x(), p.y()) - foot, std::max(-p.z(), p.z() - foot_height));
    const double base = std::max(ring, -(sphere + wall));
    return std::max(smooth_union(shell, base, wall), -p.z());
  };
  const BoundingBox box{{-radius, -radius, 0.0}, {radius, radius, centre}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

/// Taubin's heart, (x^2 + 9/4 y^2 + z^2 - 1)^3 = x^2 z^3 + 9/80 y^2 z^3, point down.
TriangleMesh build_heart(const ShapeValues& value) {
  const double scale = value("size") / 2.28;  // the curve is 2.28 wide along x
  const Implicit solid = [=](const Vector3& p) {
    // The cube root of both sides: the same zero set, and a slope that does not vanish on it.
    const Vector3 q = p / scale;
    const double x2 = q.x() * q.x(), y2 = q.y() * q.y();
    const double ball = x2 + 2.25 * y2 + q.z() * q.z() - 1.0;
    return 0.5 * scale * (ball - q.z() * std::cbrt(x2 + 0.1125 * y2));
  };
  const BoundingBox box{scale * Vector3(-1.15, -0.7, -1.0), scale * Vector3(1.15, 0.7, 1.25)};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

}  // namespace

std::vector<ShapeEntry> rounded_shapes() {
  return {
      {{"spoon",
        "spoon along +x: tapered arched handle from x = 0, oval bowl opening up",
        {{"length", 0.2, 0.01, 10.0, "m", "over all"},
         {"bowl_width", 0.046, 1e-3, 10.0, "m", "of the bowl"},
         {"bowl_depth", 0.02, 1e-3, 10.0, "m", "of the bowl"},
         {"handle_width", 0.024, 1e-3, 1.0, "m", "at the free end"},
         {"thickness", 0.006, 1e-4, 0.1, "m", "of bowl and handle"},
         {"arch", 0.008, 0.0, 1.0, "m", "rise of the handle"},
         {"resolution", 160, 24, 800, "1", "cells along the length"}}},
       build_spoon},
      {{"bowl",
        "half-round bowl on a foot, opening up",
        {{"radius", 0.06, 1e-3, 10.0, "m", "outer"},
         {"wall", 0.006, 1e-4, 1.0, "m", "thickness"},
         {"foot_radius", 0.025, 1e-3, 10.0, "m", "of the foot"},
         {"resolution", 96, 16, 800, "1", "cells across"}}},
       build_bowl},
      {{"heart",
        "solid heart, point down",
        {{"size", 0.15, 1e-3, 10.0, "m", "width"},
         {"resolution", 80, 16, 800, "1", "cells across"}}},
       build_heart},
  };
}

}  // namespace haptic
