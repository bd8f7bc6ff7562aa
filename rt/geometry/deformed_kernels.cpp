// One point per lane; a loop over the proxies.
#define HWY_TARGET_INCLUDE "rt/geometry/deformed_kernels.cpp"
#include "rt/geometry/deformed_kernels.h"

#include <limits>

#include "shared/simd/foreach_target.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE Lanes squared(Lanes x, Lanes y, Lanes z) {
  return hn::MulAdd(z, z, hn::MulAdd(y, y, hn::Mul(x, x)));
}

/// Square root in float, with a relative error of about 1e-7, in half the time of the exact one.
/// Infinite above the range of float.
HWY_INLINE Lanes rough_root(Lanes square) {
  const hn::Rebind<float, Tag> narrow;
  return hn::PromoteTo(kTag, hn::Sqrt(hn::DemoteTo(narrow, square)));
}

/// Squared distances sort like their bits. The low eight bits are replaced by the proxy's index, so
/// that minima and maxima alone keep a sorted list. Two proxies whose squared distances differ by
/// less than a relative 2^-44 may be exchanged.
void nearest(const Proxy* proxies, std::uint32_t count, const FieldPoints& points,
             std::uint32_t point_count, NearestProxies& found) HAPTIC_REALTIME {
  const hn::Rebind<std::uint64_t, Tag> bits;
  const auto low = hn::Set(bits, std::uint64_t{0xFF});
  for (std::size_t at = 0; at < point_count; at += kLanes) {
    const auto used = hn::FirstN(kTag, point_count - at);
    const Lanes x = hn::MaskedLoad(used, kTag, points.x + at);
    const Lanes y = hn::MaskedLoad(used, kTag, points.y + at);
    const Lanes z = hn::MaskedLoad(used, kTag, points.z + at);
    const auto none = hn::BitCast(
        kTag, hn::AndNot(low, hn::BitCast(bits, all(std::numeric_limits<double>::max()))));
    Lanes k0 = none, k1 = none, k2 = none, k3 = none, k4 = none;
    for (std::uint32_t i = 0; i < count; ++i) {
      const double* p = proxies[i].position;
      const Lanes square =
          squared(hn::Sub(x, all(p[0])), hn::Sub(y, all(p[1])), hn::Sub(z, all(p[2])));
      Lanes key = hn::BitCast(kTag, hn::Or(hn::AndNot(low, hn::BitCast(bits, square)),
                                           hn::Set(bits, std::uint64_t{i})));
      const auto insert = [&](Lanes& held) HWY_ATTR {
        const Lanes nearer = hn::Min(held, key);
        key = hn::Max(held, key);
        held = nearer;
      };
      insert(k0), insert(k1), insert(k2), insert(k3), insert(k4);
    }
    alignas(64) std::uint64_t number[kLanes];
    std::uint32_t slot = 0;
    for (const Lanes& key : {k0, k1, k2, k3, k4}) {
      hn::Store(hn::And(hn::BitCast(bits, key), low), bits, number);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // A list shorter than k is filled with its last proxy.
        found.proxy[slot][at + lane] = static_cast<std::uint8_t>(
            slot < count ? number[lane] : found.proxy[slot - 1][at + lane]);
      }
      ++slot;
    }
  }
}

/// For each proxy j, either its map takes the ball into a ball that is free at rest, or j is not a
/// neighbour of any point in the ball:
/// radius <= max((rest_radius - |X_j - X_0|) / |F_j^-1|, (d_j - d_k) / 2).
void bound_radii(const Proxy* proxies, std::uint32_t count, const FieldPoints& points,
                 std::uint32_t point_count, FreeRadiusQuery& query) HAPTIC_REALTIME {
  constexpr double kRoughly = 2e-7;  // relative error of rough_root, and a margin
  for (std::size_t at = 0; at < point_count; at += kLanes) {
    const auto used = hn::FirstN(kTag, point_count - at);
    const Lanes x = hn::MaskedLoad(used, kTag, points.x + at);
    const Lanes y = hn::MaskedLoad(used, kTag, points.y + at);
    const Lanes z = hn::MaskedLoad(used, kTag, points.z + at);
    const Lanes X = hn::MaskedLoad(used, kTag, query.rest.x + at);
    const Lanes Y = hn::MaskedLoad(used, kTag, query.rest.y + at);
    const Lanes Z = hn::MaskedLoad(used, kTag, query.rest.z + at);
    const Lanes rest_radius = hn::MaskedLoad(used, kTag, query.rest_radius + at);
    const Lanes farthest = hn::MaskedLoad(used, kTag, query.farthest + at);
    Lanes radius = hn::MaskedLoad(used, kTag, query.radius + at);
    // A proxy nearer than neighbour k is a neighbour, which `radius` already includes.
    const Lanes neighbour = hn::Mul(hn::Mul(farthest, farthest), all(1.0 - 1e-12));
    const Lanes half = all(0.5), roughly_above = all(1.0 + kRoughly),
                roughly_below = all(0.5 * (1.0 - kRoughly));
    for (std::uint32_t i = 0; i < count; ++i) {
      const Proxy& proxy = proxies[i];
      const Lanes ax = hn::Sub(x, all(proxy.position[0]));
      const Lanes ay = hn::Sub(y, all(proxy.position[1]));
      const Lanes az = hn::Sub(z, all(proxy.position[2]));
      const Lanes square = squared(ax, ay, az);
      const Lanes within = hn::MulAdd(radius, all(2.0), farthest);
      // False for lanes with a NaN and for unused lanes.
      const auto matters = hn::And(hn::And(hn::Ge(square, neighbour), used),
                                   hn::Lt(square, hn::Mul(within, within)));
      if (hn::AllFalse(kTag, matters)) continue;
      const Lanes by_rank =
          hn::NegMulAdd(half, farthest, hn::Mul(roughly_below, rough_root(square)));
      const double* f = proxy.inverse;
      const auto pulled = [&](std::size_t row, Lanes from) HWY_ATTR {
        return hn::MulAdd(
            all(f[row]), ax,
            hn::MulAdd(all(f[4 + row]), ay,
                       hn::MulAdd(all(f[8 + row]), az, hn::Sub(all(proxy.rest[row]), from))));
      };
      const Lanes apart =
          hn::Mul(roughly_above, rough_root(squared(pulled(0, X), pulled(1, Y), pulled(2, Z))));
      const Lanes by_image = hn::Mul(hn::Sub(rest_radius, apart), all(1.0 / proxy.stretch));
      const Lanes bound = hn::Max(by_rank, by_image);
      radius = hn::IfThenElse(matters, hn::Min(radius, bound), radius);
    }
    hn::Store(hn::Max(radius, hn::Zero(kTag)), kTag, query.radius + at);
  }
}

}  // namespace

extern const DeformedKernels kDeformedKernels;
const DeformedKernels kDeformedKernels{nearest, bound_radii};

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic {

const DeformedKernels& deformed_kernels(SimdTarget target) {
  return for_target(target, N_AVX3::kDeformedKernels, N_AVX2::kDeformedKernels);
}

}  // namespace haptic
#endif
