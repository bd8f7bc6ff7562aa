#include "rt/geometry/normal_variation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>

namespace haptic {
namespace {

constexpr std::uint32_t kPlaces = 400;
constexpr int kDraws = 20'000;
/// Newton steps to the surface, and how near they have to come [spacings].
constexpr int kNewtonSteps = 8;
constexpr double kNear = 0.05;
/// Half of the region around the origin in which an unbounded field is looked at [spacings].
constexpr double kRegion = 10.0;

double angle_between(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

struct OnSurface {
  Vector3 point, gradient;
};

std::optional<OnSurface> to_surface(const SignedField& field, Vector3 p, double near) {
  for (int i = 0; i < kNewtonSteps; ++i) {
    const SignedField::Sample sample = field.distance_and_gradient(p);
    const double square = sample.gradient.squaredNorm();
    if (!(square > 0.0)) return {};
    if (std::abs(sample.distance) < near) return OnSurface{p, sample.gradient};
    p -= sample.distance / square * sample.gradient;
  }
  return {};
}

}  // namespace

ShellVariation normal_variation(const PointShell& shell) {
  const auto count = static_cast<std::uint32_t>(shell.size());
  if (count < 2) return {};
  const std::uint32_t stride = (count + kPlaces - 1) / kPlaces;
  double distances = 0.0, squares = 0.0, places = 0.0;
  for (std::uint32_t i = 0; i < count; i += stride) {
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t nearest = i;
    for (std::uint32_t j = 0; j < count; ++j) {
      const double square = (shell.rest_position(j) - shell.rest_position(i)).squaredNorm();
      if (j == i || !(square < least)) continue;
      least = square;
      nearest = j;
    }
    const double angle = angle_between(shell.rest_normal(i), shell.rest_normal(nearest));
    distances += std::sqrt(least);
    squares += angle * angle;
    places += 1.0;
  }
  return {distances / places, std::sqrt(squares / places)};
}

double normal_variation(const SignedField& field, double spacing) {
  std::mt19937_64 random(1);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; };
  const auto drawn = [&] {
    const double x = uniform(), y = uniform(), z = uniform();
    return Vector3(x, y, z);
  };
  const double reach = std::isfinite(field.reach()) ? field.reach() : kRegion * spacing;
  double squares = 0.0;
  std::uint32_t places = 0;
  for (int i = 0; i < kDraws && places < kPlaces; ++i) {
    const Vector3 p = reach * drawn(), towards = drawn();
    // From outside, many places lead to one edge.
    if (field.distance_and_gradient(p).distance > 0.0) continue;
    const std::optional<OnSurface> from = to_surface(field, p, kNear * spacing);
    if (!from) continue;
    const Vector3 normal = from->gradient.normalized();
    const Vector3 along = towards - normal.dot(towards) * normal;
    if (!(along.norm() > 0.0)) continue;
    const std::optional<OnSurface> to =
        to_surface(field, from->point + spacing * along.normalized(), kNear * spacing);
    if (!to) continue;
    const double angle = angle_between(from->gradient, to->gradient);
    squares += angle * angle;
    ++places;
  }
  return places > 0 ? std::sqrt(squares / places) : 0.0;
}

}  // namespace haptic
