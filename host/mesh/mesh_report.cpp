#include "host/mesh/mesh_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/mesh/edge_sides.h"
#include "host/mesh/join_open_edges.h"
#include "host/mesh/nested_components.h"
#include "host/mesh/surface_components.h"
#include "host/mesh/surface_holes.h"
#include "shared/error.h"

namespace haptic {
namespace {

void count(const TriangleMesh& mesh, MeshReport& report) {
  report.vertices = mesh.vertices.size();
  report.triangles = mesh.triangles.size();
  report.boundary_edges = report.non_manifold_edges = report.inconsistent_edges = 0;
  const std::vector<EdgeSide> sides = sorted_edge_sides(mesh);
  bool even = true;
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    if (n == 1) ++report.boundary_edges;
    if (n > 2) ++report.non_manifold_edges;
    if (n % 2 != 0) even = false;
    if (n == 2 && sides[begin].forward == sides[begin + 1].forward) ++report.inconsistent_edges;
  });
  report.components = 0;
  for (const std::uint32_t of : components_of(mesh.triangles.size(), sides)) {
    report.components = std::max<std::size_t>(report.components, of + 1);
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

/// Whether a triangle runs through its vertices as they do in ascending order, or cyclically so.
bool is_ascending(const std::array<std::uint32_t, 3>& t) {
  return (t[0] < t[1]) + (t[1] < t[2]) + (t[2] < t[0]) == 2;
}

/// Drops triangles that use a vertex twice, and all but one of those on the same three vertices.
/// Of opposite ones as many of each as the other has are dropped: walls between glued parts.
void drop_repeats(TriangleMesh& mesh, MeshReport& report) {
  std::map<std::array<std::uint32_t, 3>, int> balance;  // by sorted vertices
  const auto key_of = [](std::array<std::uint32_t, 3> t) {
    std::sort(t.begin(), t.end());
    return t;
  };
  for (const auto& t : mesh.triangles) balance[key_of(t)] += is_ascending(t) ? 1 : -1;
  std::size_t in_pairs = 0;
  for (const auto& t : mesh.triangles) in_pairs += balance[key_of(t)] == 0 ? 1 : 0;
  // A surface of which most triangles are there with either side out was meant to be seen so.
  const bool two_sided = 2 * in_pairs > mesh.triangles.size();
  std::size_t kept = 0;
  for (const auto& t : mesh.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
      ++report.degenerate_dropped;
      continue;
    }
    int& left = balance[key_of(t)];
    constexpr int kDone = 1 << 30;
    const bool keep = left != kDone && (left == 0 ? two_sided : is_ascending(t) == (left > 0));
    if (keep) {
      left = kDone;
      mesh.triangles[kept++] = t;
    } else {
      ++report.duplicates_dropped;
    }
  }
  mesh.triangles.resize(kept);
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

void choose_components(TriangleMesh& mesh, const CleaningSettings& settings, MeshReport& report) {
  const std::vector<SurfaceComponent> components = surface_components(mesh);
  std::vector<bool> kept(components.size(), settings.keep.empty() && !settings.keep_largest);
  for (const std::uint32_t number : settings.keep) {
    if (number < 1 || number > components.size()) {
      throw InputError("", "source.keep", fmt::format("found component {}", number),
                       fmt::format("one of the {} of the mesh, from 1", components.size()));
    }
    kept[number - 1] = true;
  }
  if (settings.keep_largest && !components.empty()) {
    const auto largest = std::max_element(
        components.begin(), components.end(),
        [](const SurfaceComponent& a, const SurfaceComponent& b) { return a.area < b.area; });
    kept[static_cast<std::size_t>(largest - components.begin())] = true;
  }
  if (components.size() > 1) {
    for (std::size_t c = 0; c < components.size(); ++c) {
      const SurfaceComponent& of = components[c];
      report.parts.push_back({of.triangles.size(), of.box, of.volume, of.closed, kept[c]});
    }
  }
  keep_components(mesh, components, kept);
}

void close_small_holes(TriangleMesh& mesh, double largest, MeshReport& report) {
  std::vector<SurfaceHole> holes = find_holes(mesh);
  std::erase_if(holes, [&](const SurfaceHole& hole) {
    const bool stays = !(hole.size <= largest);
    (stays ? report.open_holes : report.closed_holes).push_back({hole.centre, hole.size});
    return stays;
  });
  close_holes(mesh, holes);
}

}  // namespace

std::string ComponentReport::summary() const {
  const Vector3 size = box.size();
  std::string line = fmt::format(
      "{} triangles, {:.4g} x {:.4g} x {:.4g} about ({:.4g}, {:.4g}, {:.4g})", triangles, size.x(),
      size.y(), size.z(), box.centre().x(), box.centre().y(), box.centre().z());
  line += closed ? fmt::format(", volume {:.4g}", std::abs(volume)) : ", open";
  if (closed && volume < 0.0) line += ", inside out";
  if (!kept) line += ", not kept";
  return line;
}

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
  if (vertices_joined > 0) {
    line += fmt::format(", {} vertices of open edges joined within {:.2g} of its unit",
                        vertices_joined, joined_within);
  }
  add(closed_holes.size(), "holes closed");
  add(components_left_out, "components inside another one left out");
  if (inside_out) {
    line += ", was inside out";
  } else {
    add(components_turned, "components were inside out");
    add(triangles_flipped, "triangles turned round");
  }
  return line;
}

std::optional<double> closing_all_holes(const MeshReport& report, double side) {
  constexpr double kAsLargeAsSurface = 0.99;
  double largest = 0.0;
  for (const HoleReport& hole : report.open_holes) largest = std::max(largest, hole.size / side);
  if (largest == 0.0 || largest > kAsLargeAsSurface) return std::nullopt;
  return std::ceil(100.0 * largest) / 100.0;
}

MeshReport inspect_mesh(const TriangleMesh& mesh) {
  MeshReport report;
  count(mesh, report);
  return report;
}

MeshReport clean_mesh(TriangleMesh& mesh, const CleaningSettings& settings) {
  MeshReport report;
  drop_repeats(mesh, report);
  report.vertices_joined = join_open_edges(mesh, settings.joining);
  if (report.vertices_joined > 0) {
    report.joined_within = settings.joining;
    drop_repeats(mesh, report);
  }
  make_consistent(mesh, report);
  choose_components(mesh, settings, report);
  close_small_holes(mesh, settings.close_holes * bounding_box(mesh).longest_side(), report);
  const NestedComponents nested = orient_components(mesh);
  report.inside_out = nested.turned > 0 && nested.triangles_turned == mesh.triangles.size();
  report.triangles_flipped += nested.triangles_turned;
  report.components_turned = nested.turned;
  report.components_left_out = nested.left_out;
  drop_unused_vertices(mesh);
  count(mesh, report);
  return report;
}

}  // namespace haptic
