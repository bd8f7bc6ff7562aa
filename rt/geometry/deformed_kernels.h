#pragma once

#include <cstdint>

#include "rt/geometry/field_proxies.h"
#include "rt/geometry/signed_field.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// Number of proxies that are blended (k of Barbic 2007, Eq 3.16). The farthest has weight 0.
inline constexpr std::uint32_t kProxyNeighbours = 5;

/// Indices of the nearest proxies of each point of a batch, nearest first.
struct NearestProxies {
  std::uint8_t proxy[kProxyNeighbours][kFieldBatch];
};

/// Arguments of bound_radii for each point of a batch.
struct alignas(64) FreeRadiusQuery {
  FieldPoints rest;                 ///< X_0, pulled back by the nearest proxy
  double rest_radius[kFieldBatch];  ///< free radius about X_0 in the rest field, >= 0
  double farthest[kFieldBatch];     ///< distance of neighbour k [m]
  double radius[kFieldBatch];       ///< in: bound from the neighbours; out: from all proxies [m]
};

/// Entry points of one instruction set.
struct DeformedKernels {
  /// @param count 1..kMaxProxies proxies; with fewer than k, the last neighbour is repeated
  void (*nearest)(const Proxy* proxies, std::uint32_t count, const FieldPoints&,
                  std::uint32_t points, NearestProxies&) HAPTIC_REALTIME;
  void (*bound_radii)(const Proxy* proxies, std::uint32_t count, const FieldPoints&,
                      std::uint32_t points, FreeRadiusQuery&) HAPTIC_REALTIME;
};

const DeformedKernels& deformed_kernels(SimdTarget target);

}  // namespace haptic
