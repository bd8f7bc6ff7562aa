#pragma once

#include <cstdint>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// One triangle's side on an undirected edge.
struct EdgeSide {
  std::uint32_t low, high;  ///< vertices, low < high
  std::uint32_t triangle;
  bool forward;  ///< the triangle runs from low to high
};

/// The sides of all triangles, ordered by edge, then by triangle.
std::vector<EdgeSide> sorted_edge_sides(const TriangleMesh& mesh);

/// Calls visit(begin, end) for each run of sides on one edge.
template <typename Visit>
void for_each_edge(const std::vector<EdgeSide>& sides, Visit visit) {
  for (std::size_t begin = 0; begin < sides.size();) {
    std::size_t end = begin + 1;
    while (end < sides.size() && sides[end].low == sides[begin].low &&
           sides[end].high == sides[begin].high) {
      ++end;
    }
    visit(begin, end);
    begin = end;
  }
}

/// Number of each triangle's component, in the order of their first triangles: triangles that share
/// an edge belong to one component. @returns one number per triangle
std::vector<std::uint32_t> components_of(std::size_t triangles, const std::vector<EdgeSide>& sides);

}  // namespace haptic
