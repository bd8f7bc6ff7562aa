#include "rt/worlds/cloth/wind_limit.h"

#include <limits>

namespace haptic::cloth {

double wind_limit(const AirSettings& air, double mass, double cell, double dt) {
  const auto carried = [&](double w) {
    const double q = dt * (air.wind.pressure * w * air.area_per_mass + air.drag_of(mass) / mass);
    return dt * w * q / (1.0 + q);
  };
  constexpr double kBeyond = 1e9;  // m/s
  double low = 0.0, high = kBeyond;
  if (!(carried(high) > 0.5 * cell)) return std::numeric_limits<double>::infinity();
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (carried(middle) > 0.5 * cell ? high : low) = middle;
  }
  return low;
}

}  // namespace haptic::cloth
