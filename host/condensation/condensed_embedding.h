#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/mesh/embedding.h"

namespace haptic {

/// The corners that each point of a surface follows, in the layout of /condensed/embedding of a
/// model file (docs/artifact.md): u(point) = sum over its 8 corners of weight * u(corner).
struct CondensedEmbedding {
  /// v x 8, indices into the condensed nodes, or kFixedCorner. The last four of a point in a
  /// tetrahedron are kFixedCorner with weight 0.
  std::vector<std::uint32_t> nodes;
  std::vector<double> weights;  ///< v x 8, sum 1 over each point
};

/// Mark of a corner that does not move.
inline constexpr std::uint32_t kFixedCorner = ~std::uint32_t{0};

/// Points in terms of condensed nodes. Source: Sedaghat 2011, eq 5.4-5.6.
/// @param points  embedded in the mesh
/// @param nodes   condensed nodes, ascending; each corner is among them or among `fixed`
/// @param fixed   fixed vertices, ascending
/// @param corners of an element, 8 or 4
CondensedEmbedding condensed_embedding(std::span<const EmbeddedPoint> points,
                                       std::span<const std::uint32_t> nodes,
                                       std::span<const std::uint32_t> fixed, std::size_t corners);

}  // namespace haptic
