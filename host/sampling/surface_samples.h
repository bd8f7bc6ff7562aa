#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Random points of a surface; each coordinate is a float's value, as it will be stored.
struct SurfaceSamples {
  std::vector<Vector3> points;           ///< [m]
  std::vector<std::uint32_t> triangles;  ///< on which each point was drawn
  double area = 0.0;                     ///< of the surface [m^2]
};

/// `count` independent points, uniform by area. The same seed gives the same points everywhere.
SurfaceSamples random_surface_samples(const TriangleMesh& mesh, std::size_t count,
                                      std::uint64_t seed);

/// Uniform in [0, 1), a function of its arguments alone, so that threads draw the same numbers in
/// any order.
double uniform_at(std::uint64_t seed, std::uint64_t index, std::uint64_t draw);

/// Draws points of a surface by area, each a function of the seed and its index alone.
class SurfaceSampler {
 public:
  /// @param mesh some triangle has an area; outlives the sampler
  SurfaceSampler(const TriangleMesh& mesh, std::uint64_t seed);

  double area() const { return area_up_to_.back(); }

  struct Sample {
    Vector3 point;
    std::uint32_t triangle;
  };
  /// Point `index` of `count`, stratified: the surface is cut into `count` parts of equal area, in
  /// the order of the triangles, and each part has one point.
  Sample stratified(std::uint64_t index, std::uint64_t count) const;
  /// An independent random point.
  Sample anywhere(std::uint64_t index) const;

 private:
  Sample at_area(double area, double u, double v) const;

  const TriangleMesh& mesh_;
  std::uint64_t seed_;
  std::vector<double> area_up_to_;  // per triangle, of all up to it [m^2]
};

}  // namespace haptic
