#pragma once

#include <cstdint>
#include <vector>

namespace haptic {

/// Weights of a sparse interpolation by rows: row i is the sum of weight[a] times value node[a],
/// a from begin[i] to begin[i + 1].
struct GridInterpolation {
  std::vector<std::uint32_t> begin = {0};
  std::vector<std::uint32_t> node;
  std::vector<float> weight;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(begin.size()) - 1; }
  /// The rows of `columns` nodes: to which rows each node contributes.
  GridInterpolation transposed(std::uint32_t columns) const;
};

}  // namespace haptic
