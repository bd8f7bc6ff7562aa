#include "host/mesh/surface_holes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "host/mesh/edge_sides.h"
#include "host/mesh/polygon_triangles.h"

namespace haptic {
namespace {

constexpr std::uint32_t kNone = ~0U;
constexpr std::uint32_t kUnclear = kNone - 1;  // three or more triangles, or two that disagree

/// Triangle across each side: side 3 t + c runs from corner c of triangle t to the next.
std::vector<std::uint32_t> sides_across(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> across(3 * mesh.triangles.size(), kNone);
  const std::vector<EdgeSide> sides = sorted_edge_sides(mesh);
  const auto number_of = [&](const EdgeSide& side) {
    const auto& triangle = mesh.triangles[side.triangle];
    const std::uint32_t from = side.forward ? side.low : side.high;
    const auto at = std::find(triangle.begin(), triangle.end(), from) - triangle.begin();
    return 3 * side.triangle + static_cast<std::uint32_t>(at);
  };
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    if (end - begin == 1) return;
    const std::uint32_t a = number_of(sides[begin]), b = number_of(sides[begin + 1]);
    const bool clear = end - begin == 2 && sides[begin].forward != sides[begin + 1].forward;
    for (std::size_t s = begin; s < end; ++s) across[number_of(sides[s])] = kUnclear;
    if (clear) across[a] = b, across[b] = a;
  });
  return across;
}

std::uint32_t following(std::uint32_t side) {
  return side % 3 == 2 ? side - 2 : side + 1;
}

/// The open side that begins where an open side ends, found by turning about that vertex.
std::optional<std::uint32_t> next_open_side(const std::vector<std::uint32_t>& across,
                                            std::uint32_t side) {
  std::uint32_t next = following(side);
  for (std::size_t turns = 0; turns < across.size(); ++turns) {
    if (across[next] == kNone) return next;
    if (across[next] == kUnclear) return std::nullopt;
    next = following(across[next]);
  }
  return std::nullopt;
}

/// The same for both directions.
std::uint64_t edge_key(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

/// Cuts a chain of vertices where it returns to one of them: holes that touch in a vertex.
void add_simple_loops(const TriangleMesh& mesh, const std::vector<std::uint32_t>& rim,
                      std::vector<SurfaceHole>& holes) {
  const auto add = [&](std::vector<std::uint32_t> loop) {
    if (loop.size() < 3) return;
    BoundingBox box{mesh.vertices[loop.front()], mesh.vertices[loop.front()]};
    for (const std::uint32_t v : loop) box.include(mesh.vertices[v]);
    std::reverse(loop.begin(), loop.end());
    holes.push_back({std::move(loop), box.centre(), box.longest_side()});
  };
  std::vector<std::uint32_t> chain;
  std::unordered_map<std::uint32_t, std::size_t> place;  // of the vertices in the chain
  for (const std::uint32_t v : rim) {
    if (const auto at = place.find(v); at != place.end()) {
      const std::size_t begin = at->second;
      add({chain.begin() + static_cast<std::ptrdiff_t>(begin), chain.end()});
      for (std::size_t i = begin; i < chain.size(); ++i) place.erase(chain[i]);
      chain.resize(begin);
    }
    place[v] = chain.size();
    chain.push_back(v);
  }
  add(std::move(chain));
}

}  // namespace

std::vector<SurfaceHole> find_holes(const TriangleMesh& mesh) {
  const std::vector<std::uint32_t> across = sides_across(mesh);
  std::vector<bool> seen(across.size(), false);
  std::vector<SurfaceHole> holes;
  for (std::uint32_t first = 0; first < across.size(); ++first) {
    if (across[first] != kNone || seen[first]) continue;
    std::vector<std::uint32_t> rim;
    std::optional<std::uint32_t> side = first;
    do {
      seen[*side] = true;
      rim.push_back(mesh.triangles[*side / 3][*side % 3]);
      side = next_open_side(across, *side);
    } while (side && !seen[*side]);
    if (side == first) add_simple_loops(mesh, rim, holes);
  }
  return holes;
}

void close_holes(TriangleMesh& mesh, std::span<const SurfaceHole> holes) {
  if (holes.empty()) return;
  std::unordered_set<std::uint64_t> edges;
  for (const auto& t : mesh.triangles) {
    for (std::size_t c = 0; c < 3; ++c) edges.insert(edge_key(t[c], t[(c + 1) % 3]));
  }
  std::vector<Vector3> corners;
  std::vector<std::array<std::uint32_t, 3>> cut;
  for (const SurfaceHole& hole : holes) {
    corners.clear();
    cut.clear();
    const auto n = static_cast<std::uint32_t>(hole.vertices.size());
    for (const std::uint32_t v : hole.vertices) corners.push_back(mesh.vertices[v]);
    triangulate_polygon(corners, cut);
    const auto vertex = [&](std::uint32_t corner) { return hole.vertices[corner]; };
    const bool meets_an_edge = std::any_of(cut.begin(), cut.end(), [&](const auto& t) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint32_t from = t[c], to = t[(c + 1) % 3];
        const bool on_rim = (from + 1) % n == to || (to + 1) % n == from;
        if (!on_rim && edges.contains(edge_key(vertex(from), vertex(to)))) return true;
      }
      return false;
    });
    const std::size_t first = mesh.triangles.size();
    if (meets_an_edge) {
      const auto middle = static_cast<std::uint32_t>(mesh.vertices.size());
      Vector3 sum = Vector3::Zero();
      for (const Vector3& corner : corners) sum += corner;
      mesh.vertices.push_back(sum / n);
      for (std::uint32_t c = 0; c < n; ++c) {
        mesh.triangles.push_back({vertex(c), vertex((c + 1) % n), middle});
      }
    } else {
      for (const auto& [i, j, k] : cut) {
        mesh.triangles.push_back({vertex(i), vertex(j), vertex(k)});
      }
    }
    for (std::size_t t = first; t < mesh.triangles.size(); ++t) {
      const auto& [i, j, k] = mesh.triangles[t];
      edges.insert({edge_key(i, j), edge_key(j, k), edge_key(k, i)});
    }
  }
}

}  // namespace haptic
