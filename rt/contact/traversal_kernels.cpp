#define HWY_TARGET_INCLUDE "rt/contact/traversal_kernels.cpp"
#include "rt/contact/traversal_kernels.h"

#include "shared/simd/foreach_target.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

static_assert(kFieldBatch % kLanes == 0);

/// Transforms kLanes points to the field's frame, always by the same three multiply-adds, so that
/// the result does not depend on the lane.
HWY_INLINE void change_frame(const FrameChange& change, Lanes x, Lanes y, Lanes z,
                             FieldPoints& points, std::size_t at) {
  double* const to[3] = {points.x + at, points.y + at, points.z + at};
  HAPTIC_UNROLL for (int i = 0; i < 3; ++i) {
    const double* const row = change.rotation[i];
    store(hn::MulAdd(all(row[0]), x,
                     hn::MulAdd(all(row[1]), y, hn::MulAdd(all(row[2]), z, all(change.offset[i])))),
          to[i]);
  }
}

/// Transposes four rigid nodes to x, y, z as rows of four floats.
HWY_INLINE void transpose(const float* values, const std::uint32_t* nodes, float* x, float* y,
                          float* z) {
  const hn::CappedTag<float, 4> quad;
  const auto a = hn::Load(quad, values + 4 * std::size_t{nodes[0]});
  const auto b = hn::Load(quad, values + 4 * std::size_t{nodes[1]});
  const auto c = hn::Load(quad, values + 4 * std::size_t{nodes[2]});
  const auto d = hn::Load(quad, values + 4 * std::size_t{nodes[3]});
  const auto xy_ac = hn::InterleaveLower(quad, a, c), xy_bd = hn::InterleaveLower(quad, b, d);
  const auto zw_ac = hn::InterleaveUpper(quad, a, c), zw_bd = hn::InterleaveUpper(quad, b, d);
  hn::Store(hn::InterleaveLower(quad, xy_ac, xy_bd), quad, x);
  hn::Store(hn::InterleaveUpper(quad, xy_ac, xy_bd), quad, y);
  hn::Store(hn::InterleaveLower(quad, zw_ac, zw_bd), quad, z);
}

void place_rigid(const NodePlaces& places, const std::uint32_t* nodes, std::uint32_t count,
                 const FrameChange& change, FieldPoints& points) {
  alignas(64) float x[kFieldBatch], y[kFieldBatch], z[kFieldBatch];
  // Nodes beyond the count repeat the last one.
  std::uint32_t padded[kFieldBatch];
  const std::uint32_t whole = (count + 7) / 8 * 8;
  for (std::uint32_t i = 0; i < whole; ++i) padded[i] = nodes[i < count ? i : count - 1];
  for (std::uint32_t i = 0; i < whole; i += 4) {
    transpose(places.values, padded + i, x + i, y + i, z + i);
  }
  for (std::uint32_t i = 0; i < whole; i += kLanes) {
    change_frame(change, load(x + i), load(y + i), load(z + i), points, i);
  }
}

/// Product of one row of a node with the coordinates, as kLanes partial sums.
HWY_INLINE void dot(const float* row, const double* coordinates, std::uint32_t n, double* to) {
  if constexpr (kLanes == 8) {
    Lanes sum = hn::Mul(load(row), load(coordinates));
    for (std::uint32_t j = 8; j < n; j += 8) {
      sum = hn::MulAdd(load(row + j), load(coordinates + j), sum);
    }
    store(sum, to);
  } else {
    Lanes low = hn::Mul(load(row), load(coordinates));
    Lanes high = hn::Mul(load(row + 4), load(coordinates + 4));
    for (std::uint32_t j = 8; j < n; j += 8) {
      low = hn::MulAdd(load(row + j), load(coordinates + j), low);
      high = hn::MulAdd(load(row + j + 4), load(coordinates + j + 4), high);
    }
    store(hn::Add(low, high), to);
  }
}

void place_modal(const NodePlaces& places, const std::uint32_t* nodes, std::uint32_t count,
                 const double* coordinates, const FrameChange& change, FieldPoints& points) {
  constexpr std::size_t kStep = kLanes;
  alignas(64) double sums[3][kFieldBatch * kStep];
  const std::uint32_t n = places.row;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float* const rows = places.values + places.floats() * nodes[i];
    HAPTIC_UNROLL for (std::uint32_t axis = 0; axis < 3; ++axis) {
      dot(rows + std::size_t{axis} * n, coordinates, n, sums[axis] + i * kStep);
    }
  }
  for (std::uint32_t i = count; i % kLanes != 0; ++i) {
    HAPTIC_UNROLL for (int axis = 0; axis < 3; ++axis) {
      store(hn::Zero(kTag), sums[axis] + i * kStep);
    }
  }
  for (std::uint32_t i = 0; i < count; i += kLanes) {
    change_frame(change, sums_of(sums[0] + i * kStep, kStep), sums_of(sums[1] + i * kStep, kStep),
                 sums_of(sums[2] + i * kStep, kStep), points, i);
  }
}

void place(const NodePlaces& places, const std::uint32_t* nodes, std::uint32_t count,
           const double* coordinates, const FrameChange& change,
           FieldPoints& points) HAPTIC_REALTIME {
  if (count == 0) return;
  if (places.row == 0) {
    place_rigid(places, nodes, count, change, points);
  } else {
    place_modal(places, nodes, count, coordinates, change, points);
  }
}

constexpr TraversalKernels kTraversalKernels = {place};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic {

const TraversalKernels& traversal_kernels(SimdTarget target) {
  return for_target(target, N_AVX3::kTraversalKernels, N_AVX2::kTraversalKernels);
}

}  // namespace haptic
#endif
