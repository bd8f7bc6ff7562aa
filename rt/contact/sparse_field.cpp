#include "rt/contact/sparse_field.h"

#include <fmt/format.h>

#include <bit>

#include "rt/contact/sparse_grid_check.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint32_t kLargestResolution = 2048;  // within the upper node at the origin

std::uint32_t checked_resolution(std::uint32_t resolution, std::string_view source) {
  if (!std::has_single_bit(resolution) || resolution < 8 || resolution > kLargestResolution) {
    throw InputError(source, "/field/resolution", fmt::format("found {}", resolution),
                     fmt::format("a power of two from 8 to {}", kLargestResolution));
  }
  return resolution;
}

}  // namespace

SparseField::SparseField(std::span<const std::uint8_t> bytes, std::uint32_t resolution,
                         std::span<const double> frame, std::string_view source)
    : grid_(grid_of_frame(checked_resolution(resolution, source), frame, source)),
      resolution_(resolution) {
  const CheckedSparseGrid checked = checked_sparse_grid(bytes, grid_, source);
  upper_ = checked.upper;
  blocks_ = checked.leaves;
  reach_ = checked.reach;
}

SparseField::SparseField(const ModelFile& model)
    : SparseField(model.bytes("/field/sparse"), model.indices("/field/resolution")[0],
                  model.doubles("/field/frame"), model.path().string()) {}

const float* SparseField::block(std::uint32_t i, std::uint32_t j, std::uint32_t k,
                                float& tile) const HAPTIC_REALTIME {
  const auto& upper = *static_cast<const SparseUpper*>(upper_)->data();
  const std::uint32_t u = (i >> 7 << 10) | (j >> 7 << 5) | k >> 7;
  if (!upper.mChildMask.isOn(u)) {
    tile = upper.mTable[u].value;
    return nullptr;
  }
  const auto& lower = *upper.getChild(u)->data();
  const std::uint32_t l = ((i >> 3 & 15) << 8) | ((j >> 3 & 15) << 4) | (k >> 3 & 15);
  if (!lower.mChildMask.isOn(l)) {
    tile = lower.mTable[l].value;
    return nullptr;
  }
  return lower.getChild(l)->data()->mValues;
}

float SparseField::value(std::uint32_t i, std::uint32_t j, std::uint32_t k) const HAPTIC_REALTIME {
  float tile = 0.0f;
  const float* samples = block(i, j, k, tile);
  return samples ? samples[(i & 7) << 6 | (j & 7) << 3 | (k & 7)] : tile;
}

bool SparseField::is_stored(std::uint32_t i, std::uint32_t j,
                            std::uint32_t k) const HAPTIC_REALTIME {
  float tile = 0.0f;
  return block(i, j, k, tile) != nullptr;
}

SparseField::Cell SparseField::locate(const Vector3& p) const HAPTIC_REALTIME {
  const double ax = p.x() - grid_.lower[0];
  const double ay = p.y() - grid_.lower[1];
  const double az = p.z() - grid_.lower[2];
  const double x = ax * grid_.inverse_edge;
  const double y = ay * grid_.inverse_edge;
  const double z = az * grid_.inverse_edge;
  const double n = grid_.cells;
  // Written so that a NaN is outside.
  if (!(x >= 0.0 && x <= n && y >= 0.0 && y <= n && z >= 0.0 && z <= n)) return {};
  const double last = n - 1.0;
  const auto i = static_cast<int>(std::min(x, last));
  const auto j = static_cast<int>(std::min(y, last));
  const auto k = static_cast<int>(std::min(z, last));
  return {true,
          static_cast<std::uint32_t>(i),
          static_cast<std::uint32_t>(j),
          static_cast<std::uint32_t>(k),
          {std::fma(ax, grid_.inverse_edge, -i), std::fma(ay, grid_.inverse_edge, -j),
           std::fma(az, grid_.inverse_edge, -k)}};
}

SparseField::Corners SparseField::gather(const Cell& cell) const HAPTIC_REALTIME {
  const std::uint32_t i = cell.i, j = cell.j, k = cell.k;
  if ((i & 7) != 7 && (j & 7) != 7 && (k & 7) != 7) {  // all corners in one block
    float t = 0.0f;
    const float* s = block(i, j, k, t);
    if (s == nullptr) return {{t, t, t, t, t, t, t, t}};
    s += (i & 7) << 6 | (j & 7) << 3 | (k & 7);
    return {{s[0], s[64], s[8], s[72], s[1], s[65], s[9], s[73]}};
  }
  const auto at = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return value(i + x, j + y, k + z);
  };
  return {{at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(1, 1, 0), at(0, 0, 1), at(1, 0, 1),
           at(0, 1, 1), at(1, 1, 1)}};
}

SignedField::Sample SparseField::distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME {
  const Cell cell = locate(p);
  if (!cell.inside) return grid::bound_and_gradient(grid_, p);
  const Corners c = gather(cell);
  return grid::interpolant_and_gradient(c.value, 2, 4, cell.at, grid_.inverse_edge);
}

double SparseField::distance(const Vector3& p) const HAPTIC_REALTIME {
  const Cell cell = locate(p);
  if (!cell.inside) return grid::outside(grid_, p);
  const Corners c = gather(cell);
  return grid::interpolant(c.value, 2, 4, cell.at);
}

void SparseField::evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                           FieldSamples& samples) const HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vector3 p(points.x[i], points.y[i], points.z[i]);
    samples.distance[i] = distance(p);
    samples.free_radius[i] = grid::free_radius(grid_, samples.distance[i], p, culling);
  }
}

void SparseField::prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Cell cell = locate(Vector3(points.x[i], points.y[i], points.z[i]));
    if (!cell.inside) continue;
    float tile = 0.0f;
    const float* samples = block(cell.i, cell.j, cell.k, tile);
    if (samples == nullptr) continue;
    samples += (cell.i & 7) << 6 | (cell.j & 7) << 3 | (cell.k & 7);
    __builtin_prefetch(samples);
    __builtin_prefetch(samples + 64);
  }
}

}  // namespace haptic
