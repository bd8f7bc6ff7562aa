#include "rt/geometry/sparse_field.h"

#include <fmt/format.h>

#include <bit>

#include "rt/geometry/sparse_grid_check.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint32_t kMaxResolution = 2048;  // within the upper node at the origin

std::uint32_t checked_resolution(std::uint32_t resolution, std::string_view source) {
  if (!std::has_single_bit(resolution) || resolution < 8 || resolution > kMaxResolution) {
    throw InputError(source, "/field/resolution", fmt::format("found {}", resolution),
                     fmt::format("a power of two from 8 to {}", kMaxResolution));
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
  reach_ = checked.reach;
  inner_depth_ = checked.inner_depth;
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

std::optional<SparseField::Cell> SparseField::cell(const Vector3& p) const HAPTIC_REALTIME {
  const grid::Place at = grid::locate(grid_, p);
  if (!at.inside) return std::nullopt;
  return Cell{static_cast<std::uint32_t>(at.i()), static_cast<std::uint32_t>(at.j()),
              static_cast<std::uint32_t>(at.k()), at.t};
}

grid::Corners SparseField::gather(const Cell& cell) const HAPTIC_REALTIME {
  const std::uint32_t i = cell.i, j = cell.j, k = cell.k;
  const auto corners = [](const auto& at) HAPTIC_REALTIME {
    return grid::Corners{
        _mm256_cvtps_pd(_mm_setr_ps(at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(1, 1, 0))),
        _mm256_cvtps_pd(_mm_setr_ps(at(0, 0, 1), at(1, 0, 1), at(0, 1, 1), at(1, 1, 1)))};
  };
  if ((i & 7) != 7 && (j & 7) != 7 && (k & 7) != 7) {  // all corners in one block
    float tile = 0.0f;
    const float* s = block(i, j, k, tile);
    if (s == nullptr) return {_mm256_set1_pd(tile), _mm256_set1_pd(tile)};
    s += (i & 7) << 6 | (j & 7) << 3 | (k & 7);
    return corners([s](int x, int y, int z) HAPTIC_REALTIME { return s[x * 64 + y * 8 + z]; });
  }
  return corners([&](std::uint32_t x, std::uint32_t y, std::uint32_t z)
                     HAPTIC_REALTIME { return value(i + x, j + y, k + z); });
}

SignedField::Sample SparseField::distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME {
  const std::optional<Cell> at = cell(p);
  return at ? grid::interpolant_and_gradient(gather(*at), grid::weights(at->t), grid_.inverse_edge)
            : grid::bound_and_gradient(grid_, p);
}

double SparseField::distance(const Vector3& p) const HAPTIC_REALTIME {
  const std::optional<Cell> at = cell(p);
  return at ? grid::interpolant(gather(*at), grid::weights(at->t)) : grid::outside(grid_, p);
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
    const std::optional<Cell> at = cell(Vector3(points.x[i], points.y[i], points.z[i]));
    if (!at) continue;
    float tile = 0.0f;
    const float* samples = block(at->i, at->j, at->k, tile);
    if (samples == nullptr) continue;
    samples += (at->i & 7) << 6 | (at->j & 7) << 3 | (at->k & 7);
    __builtin_prefetch(samples);
    __builtin_prefetch(samples + 64);
  }
}

}  // namespace haptic
