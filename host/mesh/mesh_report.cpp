#include "host/mesh/mesh_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace haptic {
namespace {

/// One triangle's side on an undirected edge.
struct EdgeSide {
  std::uint32_t low, high;  ///< vertices, low < high
  std::uint32_t triangle;
  bool forward;  ///< the triangle runs from low to high
};

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

std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

void count(const TriangleMesh& mesh, MeshReport& report) {
  report.vertices = mesh.vertices.size();
  report.triangles = mesh.triangles.size();
  report.boundary_edges = report.non_manifold_edges = report.inconsistent_edges = 0;
  std::vector<std::uint32_t> parent(mesh.triangles.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const std::vector<EdgeSide> sides = sorted_edge_sides(mesh);
  bool even = true;
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    if (n == 1) ++report.boundary_edges;
    if (n > 2) ++report.non_manifold_edges;
    if (n % 2 != 0) even = false;
    if (n == 2 && sides[begin].forward == sides[begin + 1].forward) ++report.inconsistent_edges;
    for (std::size_t s = begin + 1; s < end; ++s) {
      parent[find_root(parent, sides[s].triangle)] = find_root(parent, sides[begin].triangle);
    }
  });
  report.components = 0;
  for (std::uint32_t t = 0; t < parent.size(); ++t) {
    if (find_root(parent, t) == t) ++report.components;
  }
  report.closed = even && !mesh.triangles.empty();
  report.area = surface_area(mesh);
  report.volume = signed_volume(mesh);
  report.zero_area = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vector3& a = mesh.vertices[i];
    if ((mesh.vertices[j] - a).cross(mesh.vertices[k] - a).norm() == 0.0) ++report.zero_area;
  }
}

void drop_repeats(TriangleMesh& mesh, MeshReport& report) {
  std::set<std::array<std::uint32_t, 3>> seen;
  std::vector<std::array<std::uint32_t, 3>> kept;
  kept.reserve(mesh.triangles.size());
  for (const auto& triangle : mesh.triangles) {
    const auto& [i, j, k] = triangle;
    if (i == j || j == k || k == i) {
      ++report.degenerate_dropped;
      continue;
    }
    std::array<std::uint32_t, 3> key = triangle;
    std::sort(key.begin(), key.end());
    if (!seen.insert(key).second) {
      ++report.duplicates_dropped;
      continue;
    }
    kept.push_back(triangle);
  }
  mesh.triangles = std::move(kept);
}

void drop_unused_vertices(TriangleMesh& mesh) {
  constexpr std::uint32_t kUnused = ~0U;
  std::vector<std::uint32_t> id(mesh.vertices.size(), kUnused);
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t v : triangle) id[v] = 0;
  }
  std::uint32_t next = 0;
  for (std::size_t v = 0; v < id.size(); ++v) {
    if (id[v] == kUnused) continue;
    mesh.vertices[next] = mesh.vertices[v];
    id[v] = next++;
  }
  mesh.vertices.resize(next);
  for (auto& triangle : mesh.triangles) {
    for (std::uint32_t& v : triangle) v = id[v];
  }
}

/// Neighbours across edges of exactly two triangles.
struct Neighbour {
  std::uint32_t triangle;
  bool agrees;  ///< the two run the shared edge in opposite directions
};

std::vector<std::array<Neighbour, 3>> neighbours_of(const TriangleMesh& mesh,
                                                    std::vector<std::uint8_t>& counts) {
  std::vector<std::array<Neighbour, 3>> neighbours(mesh.triangles.size());
  counts.assign(mesh.triangles.size(), 0);
  const std::vector<EdgeSide> sides = sorted_edge_sides(mesh);
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    if (end - begin != 2) return;
    const EdgeSide& a = sides[begin];
    const EdgeSide& b = sides[begin + 1];
    const bool agrees = a.forward != b.forward;
    neighbours[a.triangle][counts[a.triangle]++] = {b.triangle, agrees};
    neighbours[b.triangle][counts[b.triangle]++] = {a.triangle, agrees};
  });
  return neighbours;
}

/// Orients triangles so that neighbours agree, patch by patch. A patch that is not orientable
/// (Moebius) or that already agrees is unchanged.
void make_consistent(TriangleMesh& mesh, MeshReport& report) {
  std::vector<std::uint8_t> counts;
  const auto neighbours = neighbours_of(mesh, counts);
  enum : std::uint8_t { kNew, kKeep, kTurn };
  std::vector<std::uint8_t> state(mesh.triangles.size(), kNew);
  std::vector<std::uint32_t> patch;
  for (std::uint32_t seed = 0; seed < mesh.triangles.size(); ++seed) {
    if (state[seed] != kNew) continue;
    patch.assign(1, seed);
    state[seed] = kKeep;
    bool orientable = true;
    std::size_t turned = 0;
    for (std::size_t head = 0; head < patch.size(); ++head) {
      const std::uint32_t t = patch[head];
      for (std::uint8_t c = 0; c < counts[t]; ++c) {
        const Neighbour& next = neighbours[t][c];
        const std::uint8_t wanted = next.agrees == (state[t] == kKeep) ? kKeep : kTurn;
        if (state[next.triangle] == kNew) {
          state[next.triangle] = wanted;
          turned += wanted == kTurn ? 1 : 0;
          patch.push_back(next.triangle);
        } else if (state[next.triangle] != wanted) {
          orientable = false;
        }
      }
    }
    if (!orientable || turned == 0) continue;
    const std::uint8_t side = 2 * turned > patch.size() ? kKeep : kTurn;  // reverse the minority
    for (const std::uint32_t t : patch) {
      if (state[t] != side) continue;
      std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
      ++report.triangles_flipped;
    }
  }
}

}  // namespace

std::string MeshReport::summary() const {
  std::string line = closed ? "closed" : fmt::format("open ({} boundary edges)", boundary_edges);
  line += fmt::format(", {} vertices, {} triangles, {} component{}", vertices, triangles,
                      components, components == 1 ? "" : "s");
  const auto add = [&](std::size_t n, const char* what) {
    if (n > 0) line += fmt::format(", {} {}", n, what);
  };
  add(non_manifold_edges, "non-manifold edges");
  add(inconsistent_edges, "inconsistently oriented edges");
  add(degenerate_dropped, "degenerate triangles dropped");
  add(duplicates_dropped, "duplicate triangles dropped");
  add(zero_area, "triangles of zero area");
  if (inside_out) {
    line += ", was inside out";
  } else {
    add(triangles_flipped, "triangles turned round");
  }
  return line;
}

MeshReport inspect_mesh(const TriangleMesh& mesh) {
  MeshReport report;
  count(mesh, report);
  return report;
}

MeshReport clean_mesh(TriangleMesh& mesh) {
  MeshReport report;
  drop_repeats(mesh, report);
  drop_unused_vertices(mesh);
  make_consistent(mesh, report);
  count(mesh, report);
  if (report.closed && report.volume < 0.0) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
    report.triangles_flipped += mesh.triangles.size();
    report.inside_out = true;
    report.volume = signed_volume(mesh);
  }
  return report;
}

}  // namespace haptic
