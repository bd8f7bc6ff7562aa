#include "host/view/field_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "shared/error.h"

namespace haptic {
namespace {

/// The smallest of 1, 2, 5 times a power of ten that is not below `value`, which is > 0.
double rounded_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= value * (1.0 - 1e-9)) return step * power;
  }
  return 10.0 * power;
}

}  // namespace

SliceChoice parse_slice(const std::string& text) {
  const auto refuse = [&]() -> InputError {
    return InputError("", "--slice", fmt::format("found \"{}\"", text),
                      "BODY:AXIS=OFFSET with the offset in m, such as cube:x=0.01");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || text.size() < colon + 4) throw refuse();
  SliceChoice choice;
  choice.body = text.substr(0, colon);
  const std::size_t axis = std::string_view("xyz").find(text[colon + 1]);
  if (axis == std::string_view::npos || text[colon + 2] != '=') throw refuse();
  choice.axis = static_cast<int>(axis);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 3, end, choice.offset);
  if (error != std::errc{} || stop != end || !std::isfinite(choice.offset)) throw refuse();
  return choice;
}

double slice_range(const SignedField& field, const Eigen::AlignedBox3d& box) {
  const double size = box.diagonal().norm();
  const double depth = std::min(field.inner_depth(), 0.25 * size);
  return rounded_up(std::max({depth, 1e-3 * size, 1e-9}));
}

FieldSlice sample_slice(const SignedField& field, const SliceChoice& choice,
                        const Eigen::AlignedBox3d& box, double range, const Pose& pose) {
  FieldSlice slice;
  slice.range = range;
  const int u = (choice.axis + 1) % 3, v = (choice.axis + 2) % 3;
  Vector3 corner = box.min() - Vector3::Constant(slice.range);
  corner[choice.axis] = choice.offset;
  const double width = box.sizes()[u] + 2.0 * slice.range;
  const double height = box.sizes()[v] + 2.0 * slice.range;
  const double step = std::max(0.5 * field.edge(), std::max(width, height) / (kMaxSamples - 1));
  const auto samples_along = [&](double side) {
    return static_cast<std::uint32_t>(
        std::clamp(std::ceil(side / step) + 1.0, 2.0, static_cast<double>(kMaxSamples)));
  };
  slice.columns = samples_along(width);
  slice.rows = samples_along(height);
  slice.distance.reserve(std::size_t{slice.columns} * slice.rows);
  for (std::uint32_t row = 0; row < slice.rows; ++row) {
    for (std::uint32_t first = 0; first < slice.columns; first += kFieldBatch) {
      const std::uint32_t count = std::min(kFieldBatch, slice.columns - first);
      FieldPoints points{};
      for (std::uint32_t i = 0; i < count; ++i) {
        Vector3 p = corner;
        p[u] += width * (first + i) / (slice.columns - 1);
        p[v] += height * row / (slice.rows - 1);
        points.x[i] = p.x();
        points.y[i] = p.y();
        points.z[i] = p.z();
      }
      FieldSamples samples;
      field.evaluate(points, count, Culling::kSafe, samples);
      for (std::uint32_t i = 0; i < count; ++i) {
        slice.distance.push_back(static_cast<float>(samples.distance[i]));
      }
    }
  }
  slice.corner = pose.orientation * corner + pose.position;
  slice.across = pose.orientation * (width * Vector3::Unit(u));
  slice.upwards = pose.orientation * (height * Vector3::Unit(v));
  return slice;
}

}  // namespace haptic
