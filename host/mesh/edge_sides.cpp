#include "host/mesh/edge_sides.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace haptic {

std::vector<EdgeSide> sorted_edge_sides(const TriangleMesh& mesh) {
  std::vector<EdgeSide> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t a = mesh.triangles[t][c];
      const std::uint32_t b = mesh.triangles[t][(c + 1) % 3];
      if (a != b) sides.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const EdgeSide& x, const EdgeSide& y) {
    return std::tie(x.low, x.high, x.triangle) < std::tie(y.low, y.high, y.triangle);
  });
  return sides;
}

std::vector<std::uint32_t> components_of(std::size_t triangles,
                                         const std::vector<EdgeSide>& sides) {
  std::vector<std::uint32_t> parent(triangles);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin + 1; s < end; ++s) {
      const std::uint32_t a = root(sides[s].triangle), b = root(sides[begin].triangle);
      parent[std::max(a, b)] = std::min(a, b);
    }
  });
  std::vector<std::uint32_t> component(triangles);
  std::uint32_t count = 0;
  for (std::uint32_t t = 0; t < triangles; ++t) {  // a root is the first of its component
    const std::uint32_t r = root(t);
    component[t] = r == t ? count++ : component[r];
  }
  return component;
}

}  // namespace haptic
