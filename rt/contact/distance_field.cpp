#include "rt/contact/distance_field.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kValues = "/field/values";
constexpr std::string_view kFrame = "/field/frame";

/// N with (N+1)^3 = count, or 0.
std::uint32_t cubic_resolution(std::size_t count) {
  const auto side = static_cast<std::size_t>(std::llround(std::cbrt(static_cast<double>(count))));
  return side >= 2 && side * side * side == count ? static_cast<std::uint32_t>(side - 1) : 0;
}

struct Extremes {
  double face_minimum = std::numeric_limits<double>::infinity();  // of the six faces
  double reach2 = -1.0;  // squared distance of the furthest negative sample; < 0: there is none
};

/// A value that is not finite anywhere is refused.
Extremes checked_extremes(std::span<const float> values, std::uint32_t n, const double* frame,
                          std::string_view source) {
  Extremes extremes;
  std::size_t at = 0;
  for (std::uint32_t k = 0; k <= n; ++k) {
    for (std::uint32_t j = 0; j <= n; ++j) {
      for (std::uint32_t i = 0; i <= n; ++i, ++at) {
        const float value = values[at];
        if (!std::isfinite(value)) {
          throw InputError(source, kValues, fmt::format("found {} at ({}, {}, {})", value, i, j, k),
                           "finite distances [m]");
        }
        const bool face = i == 0 || i == n || j == 0 || j == n || k == 0 || k == n;
        if (face && value < extremes.face_minimum) extremes.face_minimum = value;
        if (value < 0.0f) {
          const Vector3 p = Vector3(frame) + frame[3] * Vector3(i, j, k);
          extremes.reach2 = std::max(extremes.reach2, p.squaredNorm());
        }
      }
    }
  }
  return extremes;
}

}  // namespace

DistanceField::DistanceField(std::span<const float> values, std::span<const double> frame,
                             std::string_view source)
    : values_(values.data()), resolution_(cubic_resolution(values.size())) {
  if (resolution_ == 0 || !std::has_single_bit(resolution_)) {
    throw InputError(source, kValues, fmt::format("found {} values", values.size()),
                     "(N+1)^3 with N a power of two");
  }
  if (frame.size() != 5) {
    throw InputError(source, kFrame, fmt::format("found {} numbers", frame.size()), "5");
  }
  for (double number : frame) {
    if (!std::isfinite(number)) {
      throw InputError(source, kFrame, fmt::format("found {}", number), "finite numbers [m]");
    }
  }
  edge_ = frame[3];
  boundary_minimum_ = frame[4];
  if (!(edge_ > 0.0) || !std::isfinite(1.0 / edge_)) {
    throw InputError(source, kFrame, fmt::format("found voxel edge {} m", edge_), "a length > 0");
  }
  if (!(boundary_minimum_ > 0.0)) {
    throw InputError(source, kFrame,
                     fmt::format("found distance {} m on the box surface", boundary_minimum_),
                     "a value > 0 (an object that does not touch its box)");
  }
  const auto [face_minimum, reach2] = checked_extremes(values, resolution_, frame.data(), source);
  // One float rounding: the stored minimum may come from the double the sample was rounded from.
  if (boundary_minimum_ > face_minimum * (1.0 + 1e-6)) {
    throw InputError(
        source, kFrame, fmt::format("found boundary minimum {} m", boundary_minimum_),
        fmt::format("at most the smallest value on the box faces, {} m", face_minimum));
  }
  row_ = static_cast<std::ptrdiff_t>(resolution_) + 1;
  slice_ = row_ * row_;
  lower_ = Vector3(frame[0], frame[1], frame[2]);
  upper_ = lower_.array() + edge_ * resolution_;
  inverse_edge_ = 1.0 / edge_;
  // A point inside has a negative sample among the corners of its cell.
  reach_ = reach2 < 0.0 ? 0.0 : std::sqrt(reach2) + 1.001 * std::sqrt(3.0) * edge_;
  // No sample is larger than the box diagonal sqrt(3) N h; a float rounds to 2^-24 of itself.
  slack_ = std::sqrt(3.0) * edge_ * (1.0 + 2.0 * std::ldexp(1.0, -24) * resolution_);
}

DistanceField::DistanceField(const ModelFile& model)
    : DistanceField(model.floats(kValues), model.doubles(kFrame), model.path().string()) {}

DistanceField::Sample DistanceField::distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME {
  const Cell cell = locate(p);
  if (cell.corner == nullptr) {
    const Vector3 excess = p - p.cwiseMax(lower_).cwiseMin(upper_);
    const double length = excess.norm();
    return {length + boundary_minimum_, Vector3(excess / length)};
  }
  const Slices s = gather(cell);
  const simd::Double4 dz = s.high - s.low;
  const simd::Double4 m = s.low + cell.z * dz;
  const double dy0 = m[2] - m[0], dy1 = m[3] - m[1];
  const double y0 = m[0] + cell.y * dy0, y1 = m[1] + cell.y * dy1;
  const double dz0 = dz[0] + cell.y * (dz[2] - dz[0]), dz1 = dz[1] + cell.y * (dz[3] - dz[1]);
  const Vector3 gradient(y1 - y0, dy0 + cell.x * (dy1 - dy0), dz0 + cell.x * (dz1 - dz0));
  return {y0 + cell.x * (y1 - y0), inverse_edge_ * gradient};
}

void DistanceField::evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                             FieldSamples& samples) const HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vector3 p(points.x[i], points.y[i], points.z[i]);
    samples.distance[i] = distance(p);
    samples.free_radius[i] = free_radius(samples.distance[i], p, culling);
  }
}

void DistanceField::prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < count; ++i) {
    prefetch(locate(Vector3(points.x[i], points.y[i], points.z[i])));
  }
}

/// The safe radius holds for any samples of a distance: the interpolant is off by at most
/// sqrt(3)/2 h, and inside the box its gradient is at most sqrt(3); the margin of h/1000 covers the
/// rounding of positions.
double DistanceField::free_radius(double distance, const Vector3& p,
                                  Culling culling) const HAPTIC_REALTIME {
  if (culling == Culling::kText) return distance;
  const double by_samples = distance - slack_;
  const double by_gradient = (distance - 1e-3 * edge_) * std::numbers::inv_sqrt3;
  // First in the list, a NaN stays: the point has no place and its subtree no contact.
  return std::max({by_samples, std::min(by_gradient, depth_in_box(p)), 0.0});
}

}  // namespace haptic
