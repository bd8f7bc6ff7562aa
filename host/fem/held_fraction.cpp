#include "host/fem/held_fraction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "host/fem/assumed_strain_rule.h"

namespace haptic {

double held_fraction(const CellPart& part,
                     const std::function<double(const Eigen::Vector3d&)>& depth) {
  std::array<double, AssumedStrainRule::kPoints> depths{};
  const auto points = points_of(part);
  std::ranges::transform(points, depths.begin(), depth);
  double mean = 0.0, variance = 0.0;
  for (const double d : depths) mean += d / AssumedStrainRule::kPoints;
  for (const double d : depths) variance += (d - mean) * (d - mean) / AssumedStrainRule::kPoints;
  // Each point stands for a range of depths of this extent. Where the depth grows along an edge of
  // a whole cell these are its halves, about their centres.
  const double extent = std::sqrt(3.0 * variance) + std::numeric_limits<double>::min();
  double fraction = 0.0;
  for (const double d : depths) {
    const double centre = mean + std::sqrt(0.75) * (d - mean);
    fraction += std::clamp(0.5 + centre / extent, 0.0, 1.0) / AssumedStrainRule::kPoints;
  }
  constexpr double kRounding = 1e-9;
  return fraction < kRounding ? 0.0 : std::min(fraction, kMaxHeldFraction);
}

}  // namespace haptic
