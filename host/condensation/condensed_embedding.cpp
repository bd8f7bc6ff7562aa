#include "host/condensation/condensed_embedding.h"

#include <algorithm>

#include "shared/assert.h"

namespace haptic {

CondensedEmbedding condensed_embedding(std::span<const EmbeddedPoint> points,
                                       std::span<const std::uint32_t> nodes,
                                       std::span<const std::uint32_t> fixed, std::size_t corners) {
  CondensedEmbedding result;
  result.nodes.reserve(8 * points.size());
  result.weights.reserve(8 * points.size());
  for (const EmbeddedPoint& point : points) {
    for (std::size_t c = 0; c < point.vertices.size(); ++c) {
      std::uint32_t index = kFixedCorner;
      if (c < corners) {
        const auto at = std::ranges::lower_bound(nodes, point.vertices[c]);
        if (at != nodes.end() && *at == point.vertices[c]) {
          index = static_cast<std::uint32_t>(at - nodes.begin());
        } else {
          HAPTIC_DEMAND(std::ranges::binary_search(fixed, point.vertices[c]));
        }
      }
      result.nodes.push_back(index);
      result.weights.push_back(c < corners ? point.weights[c] : 0.0);
    }
  }
  return result;
}

}  // namespace haptic
