#include "host/multigrid/grid_interpolation.h"

#include <numeric>

namespace haptic {

GridInterpolation GridInterpolation::transposed(std::uint32_t columns) const {
  GridInterpolation result;
  result.begin.assign(columns + 1, 0);
  for (const std::uint32_t n : node) ++result.begin[n + 1];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.node.resize(node.size());
  result.weight.resize(node.size());
  std::vector<std::uint32_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::uint32_t row = 0; row < rows(); ++row) {
    for (std::uint32_t a = begin[row]; a < begin[row + 1]; ++a) {
      const std::uint32_t at = next[node[a]]++;
      result.node[at] = row;
      result.weight[at] = weight[a];
    }
  }
  return result;
}

}  // namespace haptic
