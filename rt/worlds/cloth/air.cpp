#include "rt/worlds/cloth/air.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "shared/error.h"

namespace haptic::cloth {
namespace {

void require_number(std::string_view key, double value, bool zero_allowed, std::string_view unit) {
  if (std::isfinite(value) && (zero_allowed ? value >= 0.0 : value > 0.0)) return;
  throw InputError("", key, fmt::format("{} {}", value, unit),
                   fmt::format("a number {} 0 [{}]", zero_allowed ? ">=" : ">", unit));
}

void require_vector(std::string_view key, const Vector3& value) {
  if (value.allFinite()) return;
  throw InputError("", key, "a component that is not finite", "three numbers");
}

}  // namespace

double Gust::factor(double time) const HAPTIC_REALTIME {
  const double within = std::fmod(time, 2.0 * period);
  const double t = within <= period ? within : 2.0 * period - within;
  return std::sin(t * t) + 0.5;
}

void check_air(const AirSettings& air) {
  require_number("drag", air.drag, true, "kg/s");
  require_number("drag by area", air.drag_per_area, true, "N s/m^3");
  require_number("gust by area", air.gust_per_area, true, "N s/m^3");
  require_number("area by mass", air.area_per_mass, true, "m^2/kg");
  require_vector("gust velocity", air.gust.velocity);
  require_number("gust coefficient", air.gust.coefficient, true, "kg/s");
  require_number("gust period", air.gust.period, false, "s");
  require_vector("wind velocity", air.wind.velocity);
  require_number("wind pressure", air.wind.pressure, true, "kg/m^3");
  require_number("wind penumbra", air.wind.penumbra, false, "of the radius");
  for (const WindShadow& shadow : air.wind.shadows) {
    require_vector("shadow centre", shadow.centre);
    require_number("shadow radius", shadow.radius, false, "m");
  }
}

void add_drag_and_gust(const AirSettings& air, std::span<const double> masses,
                       std::span<const double> x, std::span<const double> v, double time,
                       std::span<double> f) HAPTIC_REALTIME {
  if (air.drag > 0.0 || air.drag_per_area > 0.0) {
    for (std::size_t i = 0; i < f.size() / 3; ++i) {
      at(f, i) += air.drag_of(masses[i]) *
                  (wind_exposure(air.wind, at(x, i)) * air.wind.velocity - at(v, i));
    }
  }
  if (air.gust.coefficient > 0.0 || air.gust_per_area > 0.0) {
    const Vector3 gust = air.gust.factor(time) * air.gust.velocity;
    const double by_mass = air.gust_per_area * air.area_per_mass;
    for (std::size_t i = 0; i < f.size() / 3; ++i) {
      at(f, i) += (air.gust.coefficient + by_mass * masses[i]) * gust;
    }
  }
}

double wind_exposure(const Wind& wind, const Vector3& point) HAPTIC_REALTIME {
  const double speed2 = wind.velocity.squaredNorm();
  if (speed2 == 0.0 || wind.shadows.empty()) return 1.0;
  double exposure = 1.0;
  for (const WindShadow& shadow : wind.shadows) {
    const Vector3 from = point - shadow.centre;
    const double along = from.dot(wind.velocity);
    if (along <= 0.0) continue;
    const double aside2 = from.squaredNorm() - along * along / speed2;
    const double beyond = std::sqrt(std::max(aside2, 0.0)) / shadow.radius - 1.0;
    exposure *= std::clamp(beyond / wind.penumbra, 0.0, 1.0);
  }
  return exposure;
}

void add_wind(const Wind& wind, std::span<const std::array<std::uint32_t, 3>> triangles,
              std::span<const double> x, std::span<const double> v, std::span<double> f,
              std::span<SymmetricBlock> damping) HAPTIC_REALTIME {
  if (wind.pressure == 0.0) return;
  constexpr double kThird = 1.0 / 3.0;
  for (const auto& [a, b, c] : triangles) {
    const Vector3 p = at(x, a);
    const Vector3 doubled_area = (at(x, b) - p).cross(at(x, c) - p);
    const double length = std::sqrt(doubled_area.squaredNorm());
    if (length == 0.0) continue;
    const Vector3 n = (1.0 / length) * doubled_area;
    const Vector3 centroid = kThird * (p + at(x, b) + at(x, c));
    const Vector3 velocity = kThird * (at(v, a) + at(v, b) + at(v, c));
    const double u = (wind_exposure(wind, centroid) * wind.velocity - velocity).dot(n);
    const Vector3 third = (0.5 * kThird * wind.pressure * std::abs(u) * u) * doubled_area;
    at(f, a) += third;
    at(f, b) += third;
    at(f, c) += third;
    if (damping.empty()) continue;
    const double slope = kThird * wind.pressure * std::abs(u) * length;
    for (const std::uint32_t i : {a, b, c}) damping[i].add_square(slope, n);
  }
}

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
