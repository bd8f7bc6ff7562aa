// Trilinear interpolation of a batch. Cells and free radii are computed with one point per lane,
// the interpolation point by point with the corners in the lanes. The corners of a point are four
// adjacent pairs, so four loads of eight bytes read them; gathers across points take 2-3 times as
// long (measured on Cascade Lake).
#define HWY_TARGET_INCLUDE "rt/geometry/grid_kernels.cpp"
#include "rt/geometry/grid_kernels.h"

#include "shared/simd/foreach_target.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

constexpr double kTwo52 = 4503599627370496.0;

HWY_INLINE Lanes excess(Lanes p, double lower, double upper) {
  return hn::Sub(p, hn::Min(hn::Max(p, all(lower)), all(upper)));
}

void evaluate(const GridView& g, const FieldPoints& points, std::uint32_t count, Culling culling,
              FieldSamples& samples) HAPTIC_REALTIME {
  const Lanes zero = hn::Zero(kTag), cells = all(g.cells), last = all(g.cells - 1.0);
  const Lanes inverse = all(g.inverse_edge);
  const Lanes row = all(static_cast<double>(g.row)), slice = all(static_cast<double>(g.slice));
  alignas(64) std::int64_t corner[kFieldBatch];
  alignas(64) double x[kFieldBatch], y[kFieldBatch], z[kFieldBatch];
  for (std::size_t at = 0; at < count; at += kLanes) {
    const auto used = hn::FirstN(kTag, count - at);
    const Lanes px = hn::MaskedLoad(used, kTag, points.x + at);
    const Lanes py = hn::MaskedLoad(used, kTag, points.y + at);
    const Lanes pz = hn::MaskedLoad(used, kTag, points.z + at);
    const Lanes ax = hn::Sub(px, all(g.lower[0]));
    const Lanes ay = hn::Sub(py, all(g.lower[1]));
    const Lanes az = hn::Sub(pz, all(g.lower[2]));
    const Lanes gx = hn::Mul(ax, inverse), gy = hn::Mul(ay, inverse), gz = hn::Mul(az, inverse);
    // A NaN counts as outside. A point outside gets the first cell, which is not read.
    const auto inside = hn::And(hn::And(hn::And(hn::Ge(gx, zero), hn::Le(gx, cells)),
                                        hn::And(hn::Ge(gy, zero), hn::Le(gy, cells))),
                                hn::And(hn::Ge(gz, zero), hn::Le(gz, cells)));
    const Lanes i = hn::Floor(hn::Min(hn::IfThenElseZero(inside, gx), last));
    const Lanes j = hn::Floor(hn::Min(hn::IfThenElseZero(inside, gy), last));
    const Lanes k = hn::Floor(hn::Min(hn::IfThenElseZero(inside, gz), last));
    hn::Store(hn::MulSub(ax, inverse, i), kTag, x + at);
    hn::Store(hn::MulSub(ay, inverse, j), kTag, y + at);
    hn::Store(hn::MulSub(az, inverse, k), kTag, z + at);
    // An integer below 2^52 is exact in double; after adding 2^52 it is in the low bits.
    const Lanes index = hn::MulAdd(k, slice, hn::MulAdd(j, row, hn::Add(i, all(kTwo52))));
    const hn::Rebind<std::int64_t, Tag> wide;
    hn::Store(hn::Xor(hn::BitCast(wide, index), hn::BitCast(wide, all(kTwo52))), wide, corner + at);
    Lanes bound = zero;
    if (!hn::AllTrue(kTag, hn::Or(inside, hn::Not(used)))) {
      const Lanes ex = excess(px, g.lower[0], g.upper[0]);
      const Lanes ey = excess(py, g.lower[1], g.upper[1]);
      const Lanes ez = excess(pz, g.lower[2], g.upper[2]);
      const Lanes square = hn::MulAdd(ez, ez, hn::MulAdd(ey, ey, hn::Mul(ex, ex)));
      bound = hn::Add(hn::Sqrt(square), all(g.boundary_minimum));
    }
    hn::Store(hn::IfThenElseZero(hn::Not(inside), bound), kTag, samples.distance + at);
  }
  // A bound is positive or a NaN; zero marks the points inside the box.
  for (std::size_t p = 0; p < count; ++p) {
    if (samples.distance[p] != 0.0) continue;
    samples.distance[p] =
        grid::interpolant(grid::corners(g, g.values + corner[p]), grid::weights(x[p], y[p], z[p]));
  }
  for (std::size_t at = 0; at < count; at += kLanes) {
    const Lanes distance = hn::Load(kTag, samples.distance + at);
    if (culling == Culling::kPublished) {
      hn::Store(distance, kTag, samples.free_radius + at);
      continue;
    }
    const auto used = hn::FirstN(kTag, count - at);
    const Lanes px = hn::MaskedLoad(used, kTag, points.x + at);
    const Lanes py = hn::MaskedLoad(used, kTag, points.y + at);
    const Lanes pz = hn::MaskedLoad(used, kTag, points.z + at);
    Lanes depth = hn::Min(hn::Sub(px, all(g.lower[0])), hn::Sub(all(g.upper[0]), px));
    depth = hn::Min(depth, hn::Min(hn::Sub(py, all(g.lower[1])), hn::Sub(all(g.upper[1]), py)));
    depth = hn::Min(depth, hn::Min(hn::Sub(pz, all(g.lower[2])), hn::Sub(all(g.upper[2]), pz)));
    const Lanes by_gradient =
        hn::Min(hn::Mul(hn::Sub(distance, all(g.margin)), all(grid::kInverseRoot3)), depth);
    const Lanes by_samples = hn::Sub(distance, all(g.slack));
    const Lanes radius = hn::Max(hn::Max(by_samples, by_gradient), zero);
    // Max returns its second operand if one is a NaN.
    hn::Store(hn::IfThenElse(hn::IsNaN(distance), distance, radius), kTag,
              samples.free_radius + at);
  }
}

}  // namespace

extern const GridKernels kGridKernels;
const GridKernels kGridKernels{evaluate};

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic {

const GridKernels& grid_kernels(SimdTarget target) {
  return for_target(target, N_AVX3::kGridKernels, N_AVX2::kGridKernels);
}

}  // namespace haptic
#endif
