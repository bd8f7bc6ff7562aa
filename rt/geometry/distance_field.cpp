#include "rt/geometry/distance_field.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

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
  double minimum = 0.0;                                           // of all values
  double reach2 = -1.0;  // squared distance of the farthest negative sample; < 0: there is none
};

/// @throws InputError if a value is not finite
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
          extremes.minimum = std::min<double>(extremes.minimum, value);
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
    : kernels_(&grid_kernels(simd_target())), resolution_(cubic_resolution(values.size())) {
  if (resolution_ == 0 || !std::has_single_bit(resolution_)) {
    throw InputError(source, kValues, fmt::format("found {} values", values.size()),
                     "(N+1)^3 with N a power of two");
  }
  grid_ = grid_of_frame(resolution_, frame, source);
  grid_.values = values.data();
  const auto [face_minimum, minimum, reach2] =
      checked_extremes(values, resolution_, frame.data(), source);
  // Tolerance of one float rounding: the stored minimum can be of a double before its rounding.
  if (grid_.boundary_minimum > face_minimum * (1.0 + 1e-6)) {
    throw InputError(
        source, kFrame, fmt::format("found boundary minimum {} m", grid_.boundary_minimum),
        fmt::format("at most the smallest value on the box faces, {} m", face_minimum));
  }
  inner_depth_ = -minimum;
  // A point inside has a negative sample among the corners of its cell.
  reach_ = reach2 < 0.0 ? 0.0 : std::sqrt(reach2) + 1.001 * std::sqrt(3.0) * grid_.edge;
}

DistanceField::DistanceField(const ModelFile& model)
    : DistanceField(model.floats(kValues), model.doubles(kFrame), model.path().string()) {}

void DistanceField::prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < count; ++i) {
    const grid::Place at = grid::locate(grid_, Vector3(points.x[i], points.y[i], points.z[i]));
    if (!at.inside) continue;
    const float* sample = corner(at);
    __builtin_prefetch(sample);
    __builtin_prefetch(sample + grid_.row);
    __builtin_prefetch(sample + grid_.slice);
    __builtin_prefetch(sample + grid_.slice + grid_.row);
  }
}

}  // namespace haptic
