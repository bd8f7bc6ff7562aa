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

/// Of a 60 degree metric thread.
double thread_depth(double pitch) {
  return 0.55 * pitch;
}

/// How far the thread's surface is below its crests, as a fraction of the depth: a right-handed
/// thread about z, the same one of a bolt and of its nut.
double groove(const Vector3& p, double pitch) {
  const double turn = p.z() / pitch - std::atan2(p.y(), p.x()) / (2.0 * std::numbers::pi);
  const double ridge = 2.0 * std::abs(turn - std::floor(turn) - 0.5);  // 0 at crest, 1 at root
  return std::clamp(1.25 * ridge - 0.125, 0.0, 1.0);
}

void refuse_deep_thread(const ShapeValues& value, double pitch, double radius) {
  if (thread_depth(pitch) >= 0.5 * radius) {
    value.refuse("pitch", "thread deeper than half the radius", "a finer pitch");
  }
}

/// Head above z = 0, shank down to z = -length, thread on its lower part.
TriangleMesh build_bolt(const ShapeValues& value) {
  const double length = value("length"), radius = 0.5 * value("diameter");
  const double across = value("head_across"), head = value("head_height");
  const double pitch = value("pitch"), threaded = value("thread_length"), slot = value("slot");
  if (across <= 2.0 * radius) {
    value.refuse("head_across", "head not wider than the shank", "head_across above diameter");
  }
  if (threaded > length) {
    value.refuse("thread_length", "longer than the shank", "at most length");
  }
  if (threaded > 0.0) refuse_deep_thread(value, pitch, radius);
  if (slot >= 0.5 * across) {
    value.refuse("slot", "wider than half the head", "a slot below head_across / 2");
  }
  const double depth = thread_depth(pitch);
  const Implicit solid = [=](const Vector3& p) {
    const double r = std::hypot(p.x(), p.y());
    // Head: prism, its upper corners turned off at 30 degrees.
    const double chamfer =
        (r - 0.5 * across) * 0.5 + (p.z() - head) * std::cos(std::numbers::pi / 6.0);
    const double hexagon = std::max({hexagon_distance(p, across), p.z() - head, -p.z(), chamfer});
    // Shank with a thread that runs out over one pitch, and a 45 degree point.
    double surface = r - radius;
    if (threaded > 0.0) {
      const double below = -length + threaded - p.z();
      const double amount = std::clamp(below / pitch, 0.0, 1.0);
      surface = (surface + depth * amount * groove(p, pitch)) * 0.75;
    }
    const double point = (r - radius + 1.2 * depth - (p.z() + length)) / std::numbers::sqrt2;
    const double shank = std::max({surface, -length - p.z(), point, p.z() - 0.5 * head});
    const double bolt = smooth_union(hexagon, shank, 0.08 * radius);
    if (slot <= 0.0) return bolt;
    return std::max(bolt, std::min(0.5 * slot - std::abs(p.y()), p.z() - 0.4 * head));
  };
  const double corner = 0.5 * across / std::cos(std::numbers::pi / 6.0);
  const BoundingBox box{{-corner, -corner, -length}, {corner, corner, head}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

/// Hexagon from z = 0 down to z = -height. Its thread is that of a bolt at the same pose, wider by
/// the clearance, with a 45 degree chamfer at both ends.
TriangleMesh build_nut(const ShapeValues& value) {
  const double height = value("height"), across = value("across");
  const double pitch = value("pitch"), clearance = value("clearance");
  const double radius = 0.5 * value("diameter"), depth = thread_depth(pitch);
  if (across <= 3.0 * radius) {
    value.refuse("across", "wall thinner than a quarter of the hole", "across above 1.5 diameter");
  }
  refuse_deep_thread(value, pitch, radius);
  if (clearance >= 0.5 * depth) {
    value.refuse("clearance", "no thread holds", "below a quarter of the pitch");
  }
  const Implicit solid = [=](const Vector3& p) {
    const double r = std::hypot(p.x(), p.y()), widest = r - radius - clearance;
    const double thread = (widest + depth * groove(p, pitch)) * 0.75;
    const double from_top = -p.z(), from_bottom = p.z() + height;
    const double chamfer =
        (widest - 0.2 * depth + std::min(from_top, from_bottom)) / std::numbers::sqrt2;
    const double hole = std::min(thread, chamfer);
    return std::max({hexagon_distance(p, across), -from_top, -from_bottom, -hole});
  };
  const double corner = 0.5 * across / std::cos(std::numbers::pi / 6.0);
  const BoundingBox box{{-corner, -corner, -height}, {corner, corner, 0.0}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
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
         {"slot", 0.0, 0.0, 1.0, "m", "width of a slot across the head; 0 for none"},
         {"resolution", 200, 24, 800, "1", "cells along the bolt"}}},
       build_bolt},
      {{"nut",
        "hexagonal nut along y, its upper face at the origin, for a bolt of the same pitch",
        {{"height", 0.02, 1e-3, 1.0, "m", "of the nut"},
         {"across", 0.026, 1e-3, 1.0, "m", "across the flats"},
         {"diameter", 0.012, 1e-3, 1.0, "m", "of the bolt"},
         {"pitch", 0.0025, 2e-4, 0.1, "m", "of the thread"},
         {"clearance", 2e-4, 0.0, 0.1, "m", "by which the hole's radius is larger"},
         {"resolution", 120, 24, 800, "1", "cells along the longest side"}}},
       build_nut},
  };
}

}  // namespace haptic
