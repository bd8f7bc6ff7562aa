#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/mesh/implicit_solid.h"
#include "host/mesh/shape_table.h"

namespace haptic {
namespace {

/// Regular hexagonal prism of `across` flats about z, |z| unbounded.
double hexagon_distance(const Vector3& p, double across) {
  double d = -std::numeric_limits<double>::max();
  for (int side = 0; side < 3; ++side) {
    const double a = std::numbers::pi / 3.0 * side;
    d = std::max(d, std::abs(p.x() * std::cos(a) + p.y() * std::sin(a)) - 0.5 * across);
  }
  return d;
}

/// Head above z = 0, shank down to z = -length, thread on its lower part.
TriangleMesh build_bolt(const ShapeValues& value) {
  const double length = value("length"), radius = 0.5 * value("diameter");
  const double across = value("head_across"), head = value("head_height");
  const double pitch = value("pitch"), threaded = value("thread_length");
  if (across <= 2.0 * radius) {
    value.refuse("head_across", "head not wider than the shank", "head_across above diameter");
  }
  if (threaded > length) {
    value.refuse("thread_length", "longer than the shank", "at most length");
  }
  const double depth = 0.55 * pitch;  // of a 60 degree metric thread
  if (threaded > 0.0 && depth >= 0.5 * radius) {
    value.refuse("pitch", "thread deeper than half the radius", "a finer pitch");
  }
  const Implicit solid = [=](const Vector3& p) {
    const double r = std::hypot(p.x(), p.y());
    // Head: prism, its upper corners turned off at 30 degrees.
    const double chamfer =
        (r - 0.5 * across) * 0.5 + (p.z() - head) * std::cos(std::numbers::pi / 6.0);
    const double hexagon = std::max({hexagon_distance(p, across), p.z() - head, -p.z(), chamfer});
    // Shank with a thread that runs out over one pitch, and a 45 degree point.
    double surface = r - radius;
    if (threaded > 0.0) {
      const double turn = p.z() / pitch - std::atan2(p.y(), p.x()) / (2.0 * std::numbers::pi);
      const double ridge = 2.0 * std::abs(turn - std::floor(turn) - 0.5);  // 0 at crest, 1 at root
      const double grooved = std::clamp(1.25 * ridge - 0.125, 0.0, 1.0);
      const double below = -length + threaded - p.z();
      const double amount = std::clamp(below / pitch, 0.0, 1.0);
      surface = (surface + depth * amount * grooved) * 0.75;
    }
    const double point = (r - radius + 1.2 * depth - (p.z() + length)) / std::numbers::sqrt2;
    const double shank = std::max({surface, -length - p.z(), point, p.z() - 0.5 * head});
    return smooth_union(hexagon, shank, 0.08 * radius);
  };
  const double corner = 0.5 * across / std::cos(std::numbers::pi / 6.0);
  const BoundingBox box{{-corner, -corner, -length}, {corner, corner, head}};
  return implicit_surface(solid, box, value.count("resolution"));
}

}  // namespace

std::vector<ShapeEntry> bolt_shapes() {
  return {
      {{"bolt",
        "hex-head bolt along y: head above the origin, threaded shank below",
        {{"length", 0.05, 1e-3, 1.0, "m", "of the shank"},
         {"diameter", 0.012, 1e-3, 1.0, "m", "of the shank"},
         {"head_across", 0.02, 1e-3, 1.0, "m", "across the flats"},
         {"head_height", 0.008, 1e-3, 1.0, "m", "of the head"},
         {"pitch", 0.0025, 2e-4, 0.1, "m", "of the thread"},
         {"thread_length", 0.034, 0.0, 1.0, "m", "from the tip; 0 for a plain shank"},
         {"resolution", 200, 24, 800, "1", "cells along the bolt"}}},
       build_bolt},
  };
}

}  // namespace haptic
