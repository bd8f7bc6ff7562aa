#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/mesh/shape_table.h"
#include "host/mesh/tube.h"

namespace haptic {
namespace {

/// Points at equal arc length along a finely sampled curve.
std::vector<Vector3> evenly_spaced(const std::vector<Vector3>& fine, std::uint32_t count) {
  std::vector<double> arc = {0.0};
  for (std::size_t i = 1; i < fine.size(); ++i) {
    arc.push_back(arc.back() + (fine[i] - fine[i - 1]).norm());
  }
  std::vector<Vector3> points;
  std::size_t i = 0;
  for (std::uint32_t k = 0; k <= count; ++k) {
    const double s = arc.back() * k / count;
    while (i + 2 < arc.size() && arc[i + 1] < s) ++i;
    const double t = std::clamp((s - arc[i]) / (arc[i + 1] - arc[i]), 0.0, 1.0);
    points.emplace_back((1.0 - t) * fine[i] + t * fine[i + 1]);
  }
  return points;
}

/// Rises from the origin along z, bends over a quarter circle, runs out along x.
TriangleMesh build_hose(const ShapeValues& value) {
  const double rise = value("rise"), bend = value("bend_radius"), run = value("run");
  const double radius = value("radius"), wall = value("wall");
  const double depth = value("corrugation"), pitch = value("pitch");
  if (wall + depth >= radius) {
    value.refuse("wall", "wall + corrugation not below radius", "a hose with a bore");
  }
  if (bend <= radius + depth) {
    value.refuse("bend_radius", "bend_radius not above radius", "a bend that does not fold");
  }
  std::vector<Vector3> fine;
  constexpr int kSteps = 400;
  for (int i = 0; i < kSteps; ++i) fine.emplace_back(0.0, 0.0, rise * i / kSteps);
  for (int i = 0; i < kSteps; ++i) {
    const double a = 0.5 * std::numbers::pi * i / kSteps;
    fine.emplace_back(bend * (1.0 - std::cos(a)), 0.0, rise + bend * std::sin(a));
  }
  for (int i = 0; i <= kSteps; ++i) {
    fine.emplace_back(bend + run * i / kSteps, 0.0, rise + bend);
  }
  const double length = rise + 0.5 * std::numbers::pi * bend + run;
  const std::uint32_t along = value.count("resolution");
  const auto segments = static_cast<std::uint32_t>(
      std::clamp(std::round(along * 2.0 * std::numbers::pi * radius / length), 16.0, 96.0));

  std::vector<TubeSection> outer;
  std::vector<double> inner;
  const std::vector<Vector3> path = evenly_spaced(fine, along);
  for (std::uint32_t i = 0; i <= along; ++i) {
    const double s = length * i / along;
    // Smooth cuffs at both ends, corrugation between them.
    const double cuff = 1.5 * pitch;
    const double from_end = std::min(s, length - s);
    const double amount = std::clamp((from_end - cuff) / pitch, 0.0, 1.0);
    const double wave = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * s / pitch);
    outer.push_back({path[i], radius - depth * amount * wave});
    inner.push_back(radius - depth - wall);
  }
  return hollow_tube(outer, inner, segments);
}

/// The curve y^2 = x^2 (1 + x), flattened in y: a loop with two legs, its crossing opened along z.
TriangleMesh build_alpha(const ShapeValues& value) {
  const double size = value("size"), radius = value("radius"), gap = value("gap");
  const double leg = value("leg");
  // x runs from -1 to leg^2 - 1, and the tube adds its radius at both ends.
  const double scale = (size - 2.0 * radius) / (leg * leg);
  if (scale <= 4.0 * radius) {
    value.refuse("radius", "the tube fills the loop", "a thinner tube or a larger size");
  }
  std::vector<Vector3> fine;
  constexpr int kSteps = 4000;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = leg * (2.0 * i / kSteps - 1.0);
    const double x = t * t - 1.0, y = 0.7 * t * x;
    // Half a turn of a sine between the crossings at t = -1 and 1, level legs beyond.
    const double lift = 0.5 * gap + radius;
    const double z = lift * std::sin(0.5 * std::numbers::pi * std::clamp(t, -1.0, 1.0));
    fine.emplace_back(scale * x, scale * y, z);
  }
  std::vector<TubeSection> sections;
  for (const Vector3& p : evenly_spaced(fine, value.count("resolution"))) {
    sections.push_back({p, radius});
  }
  return solid_tube(std::move(sections), value.count("segments"), TubeEnds::kRound);
}

}  // namespace

std::vector<ShapeEntry> tube_shapes() {
  return {
      {{"hose",
        "corrugated hose: up from the origin along y, a quarter bend, out along x",
        {{"rise", 0.09, 1e-3, 10.0, "m", "straight part along y"},
         {"bend_radius", 0.05, 1e-3, 10.0, "m", "of the centre line"},
         {"run", 0.06, 1e-3, 10.0, "m", "straight part along x"},
         {"radius", 0.018, 1e-3, 1.0, "m", "outer"},
         {"wall", 0.004, 1e-4, 1.0, "m", "thickness below the corrugation"},
         {"corrugation", 0.002, 0.0, 0.1, "m", "depth; 0 for a plain hose"},
         {"pitch", 0.009, 1e-3, 1.0, "m", "of the corrugation"},
         {"resolution", 240, 16, 4000, "1", "rings along the hose"}}},
       build_hose},
      {{"alpha",
        "alpha puzzle: a round bar bent to a loop with two crossing legs",
        {{"size", 0.12, 1e-3, 10.0, "m", "along x, over all"},
         {"radius", 0.006, 1e-4, 1.0, "m", "of the bar"},
         {"gap", 0.008, 0.0, 1.0, "m", "free space between the legs at the crossing"},
         {"leg", 1.4, 1.1, 2.5, "1", "end of the curve parameter; legs begin at 1"},
         {"resolution", 220, 32, 4000, "1", "rings along the bar"},
         {"segments", 20, 8, 200, "1", "around the bar"}}},
       build_alpha},
  };
}

}  // namespace haptic
