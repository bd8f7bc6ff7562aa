#include "host/field/surface_parts.h"

#include <cstdint>
#include <numeric>

namespace haptic {

std::vector<TriangleMesh> split_parts(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& t : mesh.triangles) {
    parent[root(t[1])] = root(t[0]);
    parent[root(t[2])] = root(t[0]);
  }
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> piece_of_root(mesh.vertices.size(), kNone);
  std::vector<std::uint32_t> new_index(mesh.vertices.size(), kNone);
  std::vector<TriangleMesh> pieces;
  for (const auto& t : mesh.triangles) {
    std::uint32_t& piece = piece_of_root[root(t[0])];
    if (piece == kNone) {
      piece = static_cast<std::uint32_t>(pieces.size());
      pieces.emplace_back();
    }
    TriangleMesh& into = pieces[piece];
    auto& triangle = into.triangles.emplace_back();
    for (std::size_t corner = 0; corner < 3; ++corner) {
      std::uint32_t& index = new_index[t[corner]];
      if (index == kNone) {
        index = static_cast<std::uint32_t>(into.vertices.size());
        into.vertices.push_back(mesh.vertices[t[corner]]);
      }
      triangle[corner] = index;
    }
  }
  return pieces;
}

}  // namespace haptic
