#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/mesh/implicit_solid.h"
#include "host/mesh/shape_table.h"

namespace haptic {
namespace {

/// Through truss of Pratt pattern: deck slab, two side trusses, portals, top bracing, two piers.
TriangleMesh build_bridge(const ShapeValues& value) {
  const double length = value("length"), width = value("width"), height = value("height");
  const double half = 0.5 * value("bar"), pier = value("pier");
  const std::uint32_t panels = 2 * value.count("half_panels");
  const double panel = length / panels;
  if (value("bar") * 3.0 > std::min({panel, height, width})) {
    value.refuse("bar", "bars fill the panels", "a bar below a third of panel, height and width");
  }
  const double bottom = half, top = bottom + height;  // chord axes above the underside, z = 0
  const auto at = [&](std::uint32_t i, double z, double side) {
    return Vector3(panel * i - 0.5 * length, side * (0.5 * width - half), z);
  };
  BarSet bars;
  for (const double side : {-1.0, 1.0}) {
    bars.add_square(at(0, bottom, side), at(panels, bottom, side), half);
    bars.add_square(at(1, top, side), at(panels - 1, top, side), half);
    bars.add_square(at(0, bottom, side), at(1, top, side), half);  // end posts
    bars.add_square(at(panels, bottom, side), at(panels - 1, top, side), half);
    for (std::uint32_t i = 1; i < panels; ++i) {
      bars.add_square(at(i, bottom, side), at(i, top, side), 0.8 * half);
    }
    for (std::uint32_t i = 1; i + 1 < panels; ++i) {  // diagonals fall towards the middle
      const bool left = 2 * i < panels;
      bars.add_square(at(left ? i : i + 1, top, side), at(left ? i + 1 : i, bottom, side),
                      0.8 * half);
    }
  }
  for (std::uint32_t i = 1; i < panels; ++i) {  // struts across the top
    bars.add_square(at(i, top, -1.0), at(i, top, 1.0), 0.8 * half);
  }
  for (std::uint32_t i = 1; i + 1 < panels; ++i) {  // one diagonal a bay in the top plane
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    bars.add_square(at(i, top, -side), at(i + 1, top, side), 0.6 * half);
  }
  const Vector3 deck_centre(0.0, 0.0, half), deck(0.5 * length, 0.5 * width, half);
  const Vector3 pier_size(1.6 * half, 0.5 * width, 0.5 * pier + half);
  const Implicit solid = [=](const Vector3& p) {
    double d = std::min(bars.distance(p), box_distance(p - deck_centre, deck));
    for (const double end : {-1.0, 1.0}) {
      const Vector3 centre(end * (0.5 * length - pier_size.x()), 0.0, half - 0.5 * pier);
      d = std::min(d, box_distance(p - centre, pier_size));
    }
    return d;
  };
  const BoundingBox box{{-0.5 * length - half, -0.5 * width, -pier},
                        {0.5 * length + half, 0.5 * width, top + half}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

/// Four curved legs that meet in a mast, braced by crosses, with two platforms.
TriangleMesh build_tower(const ShapeValues& value) {
  const double height = value("height"), base = 0.5 * value("base"), half = 0.5 * value("bar");
  const std::uint32_t levels = value.count("levels");
  const auto half_width = [=](double z) {
    const double s = 1.0 - z / height;
    return half + (base - half) * s * s * (0.3 + 0.7 * s);
  };
  const auto corner = [=](std::uint32_t level, int c) {
    // Levels grow shorter upwards, with the width.
    const double z = height * (1.0 - std::pow(1.0 - static_cast<double>(level) / levels, 1.3));
    const double w = half_width(z) - half;
    return Vector3(c == 0 || c == 3 ? -w : w, c < 2 ? -w : w, z);
  };
  BarSet bars;
  for (std::uint32_t level = 0; level < levels; ++level) {
    for (int c = 0; c < 4; ++c) {
      const int next = (c + 1) % 4;
      bars.add_round(corner(level, c), corner(level + 1, c), half);
      bars.add_round(corner(level, c), corner(level + 1, next), 0.6 * half);
      bars.add_round(corner(level, next), corner(level + 1, c), 0.6 * half);
      if (level > 0) bars.add_round(corner(level, c), corner(level, next), 0.6 * half);
    }
  }
  std::vector<std::pair<double, double>> platforms;
  for (const std::uint32_t level : {levels / 4, levels / 2}) {
    const double z = corner(level, 0).z();
    platforms.emplace_back(z, half_width(z) + half);
  }
  const Implicit solid = [=](const Vector3& p) {
    double d = bars.distance(p);
    for (const auto& [z, w] : platforms) {
      d = std::min(d, box_distance(p - Vector3(0.0, 0.0, z), {w, w, half}));
    }
    return std::max(d, -p.z());
  };
  const double wide = base + 2.0 * half;
  const BoundingBox box{{-wide, -wide, 0.0}, {wide, wide, height + half}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

/// Round basket of ribs and hoops on a solid base, with an arched handle.
TriangleMesh build_basket(const ShapeValues& value) {
  const double radius = value("radius"), height = value("height"), bar = 0.5 * value("bar");
  const std::uint32_t ribs = value.count("ribs"), hoops = value.count("hoops");
  const double base = 0.7 * radius;
  if (2.0 * std::numbers::pi * base / ribs < 4.0 * bar || height / hoops < 3.0 * bar) {
    value.refuse("bar", "bars leave no openings", "fewer ribs or hoops, or thinner bars");
  }
  const auto wall_radius = [=](double z) { return base + (radius - base) * z / height; };
  const auto on_wall = [=](double angle, double z) {
    return Vector3(wall_radius(z) * std::cos(angle), wall_radius(z) * std::sin(angle), z);
  };
  BarSet bars;
  for (std::uint32_t i = 0; i < ribs; ++i) {
    const double a = 2.0 * std::numbers::pi * i / ribs;
    bars.add_round(on_wall(a, bar), on_wall(a, height), bar);
  }
  const double handle = radius;  // half circle over the rim, in the plane y = 0
  const Implicit solid = [=](const Vector3& p) {
    double d = bars.distance(p);
    const double r = std::hypot(p.x(), p.y());
    for (std::uint32_t i = 1; i <= hoops; ++i) {
      const double z = height * i / hoops;
      const double thickness = i == hoops ? 1.3 * bar : bar;
      d = std::min(d, std::hypot(r - wall_radius(z), p.z() - z) - thickness);
    }
    d = std::min(d, std::hypot(std::max(r - base, 0.0), p.z() - bar) - bar);
    const double arc = std::hypot(std::hypot(p.x(), std::max(p.z() - height, 0.0)) - handle, p.y());
    if (p.z() >= height - bar) d = std::min(d, arc - 1.3 * bar);
    return d;
  };
  const double wide = radius + 1.5 * bar;
  const BoundingBox box{{-wide, -wide, 0.0}, {wide, wide, height + handle + 1.5 * bar}};
  return implicit_surface(solid, box, value.count("resolution"), value.progress());
}

/// Box with round holes from its upper to its lower side, evenly spaced along x.
TriangleMesh build_perforated(const ShapeValues& value) {
  const Vector3 half = 0.5 * Vector3(value("size_x"), value("size_z"), value("size_y"));  // z up
  const double radius = value("hole_radius");
  const std::uint32_t holes = value.count("holes");
  const double pitch = 2.0 * half.x() / holes;
  if (2.0 * radius > 0.9 * std::min(pitch, 2.0 * half.y())) {
    value.refuse("hole_radius", "holes that leave no bars between them",
                 "a diameter of at most 0.9 of size_x / holes and of size_z");
  }
  const Implicit solid = [=](const Vector3& p) {
    // The nearest hole decides.
    const double at = std::floor((p.x() + half.x()) / pitch);
    const double hole = std::clamp(at, 0.0, holes - 1.0);
    const double x = p.x() + half.x() - (hole + 0.5) * pitch;
    return std::max(box_distance(p, half), radius - std::hypot(x, p.y()));
  };
  return implicit_surface(solid, {-half, half}, value.count("resolution"), value.progress());
}

}  // namespace

std::vector<ShapeEntry> lattice_shapes() {
  return {
      {{"bridge",
        "truss bridge along x: deck, side trusses with diagonals, portals, top bracing, piers",
        {{"length", 0.3, 0.01, 100.0, "m", "span"},
         {"width", 0.06, 1e-3, 10.0, "m", "over both trusses"},
         {"height", 0.045, 1e-3, 10.0, "m", "between the chords"},
         {"bar", 0.006, 1e-4, 1.0, "m", "width of a chord"},
         {"pier", 0.03, 1e-3, 10.0, "m", "height of the piers"},
         {"half_panels", 4, 2, 20, "1", "panels on either side of the middle"},
         {"resolution", 224, 32, 1000, "1", "cells along the span"}}},
       build_bridge},
      {{"tower",
        "lattice tower: four curved braced legs, two platforms",
        {{"height", 0.3, 0.01, 100.0, "m", "over all"},
         {"base", 0.12, 1e-3, 10.0, "m", "width at the foot"},
         {"bar", 0.006, 1e-4, 1.0, "m", "diameter of a leg"},
         {"levels", 8, 4, 24, "1", "braced levels"},
         {"resolution", 224, 32, 1000, "1", "cells along the height"}}},
       build_tower},
      {{"basket",
        "round basket of ribs and hoops with a handle",
        {{"radius", 0.06, 1e-3, 10.0, "m", "of the rim"},
         {"height", 0.06, 1e-3, 10.0, "m", "of the wall"},
         {"bar", 0.005, 1e-4, 1.0, "m", "diameter of ribs and hoops"},
         {"ribs", 16, 4, 64, "1", "upright"},
         {"hoops", 4, 1, 24, "1", "around, with the rim"},
         {"resolution", 160, 32, 1000, "1", "cells along the longest side"}}},
       build_basket},
      {{"perforated",
        "box with round holes along y, centred on the origin",
        {{"size_x", 0.04, 1e-3, 10.0, "m", "along x"},
         {"size_y", 0.01, 1e-4, 10.0, "m", "thickness"},
         {"size_z", 0.03, 1e-3, 10.0, "m", "along z"},
         {"holes", 3, 1, 64, "1", "in a row along x"},
         {"hole_radius", 0.004, 1e-4, 1.0, "m", "of a hole"},
         {"resolution", 80, 16, 1000, "1", "cells along the longest side"}}},
       build_perforated},
  };
}

}  // namespace haptic
