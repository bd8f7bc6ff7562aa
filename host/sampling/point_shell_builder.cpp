#include "host/sampling/point_shell_builder.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/sampling/farthest_point.h"
#include "host/sampling/nearest_points.h"
#include "shared/error.h"

namespace haptic {

namespace {

struct Candidates {
  std::vector<Vector3> points;
  std::vector<std::uint32_t> triangles;
  double area = 0.0;
};

/// Uniform in [0, 1), the same on every platform (the standard's distributions are not).
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

Vector3 rounded_to_float(const Vector3& v) {
  return v.cast<float>().cast<double>();
}

/// Independent points, uniform by area (Osada et al. 2002 inside a triangle), with the precision
/// they will be stored in, so that their order is that of the stored points.
Candidates random_surface_points(const TriangleMesh& mesh, std::size_t count, std::uint64_t seed) {
  Candidates result;
  std::vector<double> area_up_to;
  area_up_to.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    const Vector3& a = mesh.vertices[t[0]];
    result.area += 0.5 * (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm();
    area_up_to.push_back(result.area);
  }
  std::mt19937_64 random(seed);
  result.points.reserve(count);
  result.triangles.reserve(count);
  for (std::size_t c = 0; c < count; ++c) {
    const double at = uniform(random) * result.area;
    const auto found = std::upper_bound(area_up_to.begin(), area_up_to.end(), at);
    const std::size_t triangle =
        std::min(static_cast<std::size_t>(found - area_up_to.begin()), mesh.triangles.size() - 1);
    const double root = std::sqrt(uniform(random));
    const double v = uniform(random);
    const auto& t = mesh.triangles[triangle];
    result.points.push_back(rounded_to_float((1.0 - root) * mesh.vertices[t[0]] +
                                             root * (1.0 - v) * mesh.vertices[t[1]] +
                                             root * v * mesh.vertices[t[2]]));
    result.triangles.push_back(static_cast<std::uint32_t>(triangle));
  }
  return result;
}

void check(const PointShellSettings& settings) {
  if (settings.points < 1 || settings.points > 4'000'000) {
    throw InputError("shell", "points", fmt::format("found {}", settings.points),
                     "a number from 1 to 4000000");
  }
  if (settings.candidates_per_point < 2 || settings.candidates_per_point > 100) {
    throw InputError("shell", "candidates_per_point",
                     fmt::format("found {}", settings.candidates_per_point),
                     "a number from 2 to 100");
  }
}

}  // namespace

std::vector<std::uint32_t> shell_level_ends(std::uint32_t points, std::uint32_t levels) {
  std::vector<std::uint32_t> ends;
  if (levels == 0) {
    constexpr std::uint64_t kBranching = 8;
    std::uint64_t end = 0;
    for (std::uint64_t size = kBranching; end < points; size *= kBranching) {
      end = std::min<std::uint64_t>(end + size, points);
      ends.push_back(static_cast<std::uint32_t>(end));
    }
    return ends;
  }
  if (levels > 16 || (std::uint64_t{1} << (2 * (levels - 1))) > points) {
    throw InputError("shell", "levels", fmt::format("found {} for {} points", levels, points),
                     "at least 4^(levels - 1) points");
  }
  for (std::uint32_t level = levels; level-- > 0;) {
    const double quarter = std::ldexp(static_cast<double>(points), -2 * static_cast<int>(level));
    ends.push_back(static_cast<std::uint32_t>(std::lround(quarter)));
  }
  return ends;
}

SampledShell build_point_shell(const SurfaceDistance& surface, const PointShellSettings& settings) {
  check(settings);
  SampledShell shell;
  shell.level_end = shell_level_ends(settings.points, settings.levels);

  const std::size_t count =
      static_cast<std::size_t>(settings.points) * settings.candidates_per_point;
  const Candidates candidates = random_surface_points(surface.mesh(), count, settings.seed);
  shell.area = candidates.area;
  const std::vector<std::uint32_t> order = farthest_point_order(candidates.points, settings.points);

  shell.points.resize(order.size());
  shell.normals.resize(order.size());
  tbb::parallel_for(std::size_t{0}, order.size(), [&](std::size_t s) {
    const Vector3& p = candidates.points[order[s]];
    // The triangle the point was drawn on is the nearest one; the search would only tell the same.
    const NearestPoint foot = surface.nearest_on_triangle(p, candidates.triangles[order[s]]);
    shell.points[s] = p;
    shell.normals[s] = rounded_to_float(-foot.pseudonormal);
  });
  return shell;
}

SpacingStatistics nearest_spacing(const std::vector<Vector3>& points) {
  SpacingStatistics statistics;
  if (points.size() < 2) return statistics;
  const NearestPoints search(points);
  std::vector<double> spacing(points.size());
  tbb::parallel_for(std::size_t{0}, points.size(), [&](std::size_t s) {
    spacing[s] = search.distance_to_other(static_cast<std::uint32_t>(s));
  });
  double sum = 0.0;
  double squares = 0.0;
  for (const double d : spacing) sum += d;
  statistics.mean = sum / static_cast<double>(spacing.size());
  for (const double d : spacing) squares += (d - statistics.mean) * (d - statistics.mean);
  statistics.minimum = *std::min_element(spacing.begin(), spacing.end());
  statistics.coefficient_of_variation =
      std::sqrt(squares / static_cast<double>(spacing.size())) / statistics.mean;
  return statistics;
}

}  // namespace haptic
