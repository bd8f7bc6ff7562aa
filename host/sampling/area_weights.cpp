#include "host/sampling/area_weights.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>

#include "host/sampling/nearest_points.h"
#include "host/sampling/surface_samples.h"
#include "shared/assert.h"

namespace haptic {

std::vector<float> area_weights(const SurfaceDistance& surface, std::span<const Vector3> points,
                                std::span<const Vector3> normals, std::uint64_t seed,
                                std::uint32_t samples_per_point) {
  HAPTIC_DEMAND(!points.empty() && normals.size() == points.size() && samples_per_point > 0);
  const NearestPoints search(points);
  const SurfaceSampler sampler(surface.mesh(), seed);
  const std::uint64_t samples = std::uint64_t{samples_per_point} * points.size();
  // Sums of counts do not depend on the order.
  std::vector<std::atomic<std::uint32_t>> counts(points.size());
  constexpr std::uint64_t kGrain = 1024;
  tbb::parallel_for(
      tbb::blocked_range<std::uint64_t>(0, samples, kGrain),
      [&](const tbb::blocked_range<std::uint64_t>& range) {
        for (std::uint64_t i = range.begin(); i < range.end(); ++i) {
          const SurfaceSampler::Sample sample = sampler.stratified(i, samples);
          const Vector3 inward =
              -surface.nearest_on_triangle(sample.point, sample.triangle).pseudonormal;
          const std::uint32_t nearest = search.nearest_facing(sample.point, inward, normals);
          counts[nearest].fetch_add(1, std::memory_order_relaxed);
        }
      });
  std::vector<float> weights;
  weights.reserve(points.size());
  for (const auto& count : counts) {
    weights.push_back(static_cast<float>(count.load()) / static_cast<float>(samples_per_point));
  }
  return weights;
}

}  // namespace haptic
