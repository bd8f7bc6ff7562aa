#include "rt/geometry/point_shell.h"

#include <fmt/format.h>

#include <limits>

#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::string_view kPoints = "/shell/points";
constexpr std::string_view kNormals = "/shell/normals";
constexpr std::string_view kDisplacement = "/shell/displacement";
constexpr std::string_view kNormalCorrection = "/shell/normal_correction";
constexpr double kUnitTolerance = 1e-4;

void require_size(std::span<const float> values, std::size_t expected, std::string_view source,
                  std::string_view key) {
  if (values.size() == expected) return;
  throw InputError(source, key, fmt::format("found {} numbers", values.size()),
                   fmt::format("{}", expected));
}

void require_finite(std::span<const float> values, std::string_view source, std::string_view key) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw InputError(source, key, fmt::format("found {} at number {}", values[i], i),
                     "finite numbers");
  }
}

std::span<const float> modal_block(const ModelFile& model, std::string_view name) {
  return model.reduced_dimension() == 0 ? std::span<const float>() : model.floats(name);
}

}  // namespace

PointShell::PointShell(std::uint32_t r, std::span<const float> points,
                       std::span<const float> normals, std::span<const float> displacement,
                       std::span<const float> normal_correction, std::string_view source)
    : size_(static_cast<std::uint32_t>(points.size() / 3)),
      dimension_(r),
      points_(points),
      normals_(normals),
      displacement_(displacement),
      normal_correction_(normal_correction) {
  if (points.empty() || points.size() % 3 != 0 ||
      points.size() / 3 > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(source, kPoints, fmt::format("found {} numbers", points.size()),
                     "three for each of one or more points");
  }
  require_size(normals, points.size(), source, kNormals);
  require_size(displacement, points.size() * r, source, kDisplacement);
  require_size(normal_correction, points.size() * r, source, kNormalCorrection);
  require_finite(points, source, kPoints);
  require_finite(normals, source, kNormals);
  require_finite(displacement, source, kDisplacement);
  require_finite(normal_correction, source, kNormalCorrection);
  for (std::uint32_t s = 0; s < size_; ++s) {
    const double length = rest_normal(s).norm();
    if (std::abs(length - 1.0) <= kUnitTolerance) continue;
    throw InputError(source, kNormals, fmt::format("found length {} at point {}", length, s),
                     "unit normals (within 1e-4)");
  }
}

PointShell::PointShell(const ModelFile& model)
    : PointShell(model.reduced_dimension(), model.floats(kPoints), model.floats(kNormals),
                 modal_block(model, kDisplacement), modal_block(model, kNormalCorrection),
                 model.path().string()) {}

}  // namespace haptic
