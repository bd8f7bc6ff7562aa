#include "host/sampling/spacing.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/sampling/nearest_points.h"

namespace haptic {

SpacingStatistics nearest_spacing(std::span<const Vector3> points) {
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
  if (statistics.mean > 0.0) {
    statistics.coefficient_of_variation =
        std::sqrt(squares / static_cast<double>(spacing.size())) / statistics.mean;
  }
  return statistics;
}

}  // namespace haptic
