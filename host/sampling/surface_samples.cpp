#include "host/sampling/surface_samples.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "host/sampling/stored_precision.h"

namespace haptic {

namespace {

/// Uniform in [0, 1), the same on every platform (the standard's distributions are not).
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Finalizer of splitmix64: every bit of the result depends on every bit of x.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::vector<double> running_area(const TriangleMesh& mesh) {
  std::vector<double> area_up_to;
  area_up_to.reserve(mesh.triangles.size());
  double area = 0.0;
  for (const auto& t : mesh.triangles) {
    const Vector3& a = mesh.vertices[t[0]];
    area += 0.5 * (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm();
    area_up_to.push_back(area);
  }
  return area_up_to;
}

std::uint32_t triangle_at(const std::vector<double>& area_up_to, double area) {
  const auto found = std::upper_bound(area_up_to.begin(), area_up_to.end(), area);
  return static_cast<std::uint32_t>(
      std::min(static_cast<std::size_t>(found - area_up_to.begin()), area_up_to.size() - 1));
}

/// Uniform in a triangle for u, v uniform in [0, 1) (Osada et al. 2002), in stored precision.
Vector3 point_of_triangle(const TriangleMesh& mesh, std::uint32_t triangle, double u, double v) {
  const double root = std::sqrt(u);
  const auto& t = mesh.triangles[triangle];
  return as_stored((1.0 - root) * mesh.vertices[t[0]] + root * (1.0 - v) * mesh.vertices[t[1]] +
                   root * v * mesh.vertices[t[2]]);
}

}  // namespace

SurfaceSamples random_surface_samples(const TriangleMesh& mesh, std::size_t count,
                                      std::uint64_t seed) {
  SurfaceSamples samples;
  const std::vector<double> area_up_to = running_area(mesh);
  samples.area = area_up_to.back();
  std::mt19937_64 random(seed);
  samples.points.reserve(count);
  samples.triangles.reserve(count);
  for (std::size_t c = 0; c < count; ++c) {
    const std::uint32_t triangle = triangle_at(area_up_to, uniform(random) * samples.area);
    const double u = uniform(random);
    const double v = uniform(random);
    samples.points.push_back(point_of_triangle(mesh, triangle, u, v));
    samples.triangles.push_back(triangle);
  }
  return samples;
}

double uniform_at(std::uint64_t seed, std::uint64_t index, std::uint64_t draw) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  const std::uint64_t bits = mixed(mixed(mixed(seed + kGolden) + index * kGolden) + draw * kGolden);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

SurfaceSampler::SurfaceSampler(const TriangleMesh& mesh, std::uint64_t seed)
    : mesh_(mesh), seed_(seed), area_up_to_(running_area(mesh)) {}

SurfaceSampler::Sample SurfaceSampler::at_area(double area, double u, double v) const {
  const std::uint32_t triangle = triangle_at(area_up_to_, area);
  return {point_of_triangle(mesh_, triangle, u, v), triangle};
}

SurfaceSampler::Sample SurfaceSampler::stratified(std::uint64_t index, std::uint64_t count) const {
  const double part =
      (static_cast<double>(index) + uniform_at(seed_, index, 0)) / static_cast<double>(count);
  return at_area(part * area(), uniform_at(seed_, index, 1), uniform_at(seed_, index, 2));
}

SurfaceSampler::Sample SurfaceSampler::anywhere(std::uint64_t index) const {
  return at_area(uniform_at(seed_, index, 3) * area(), uniform_at(seed_, index, 4),
                 uniform_at(seed_, index, 5));
}

}  // namespace haptic
