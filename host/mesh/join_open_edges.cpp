#include "host/mesh/join_open_edges.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "host/mesh/edge_sides.h"

namespace haptic {
namespace {

constexpr double kMaxShare = 0.25;       // of the shortest edge at either vertex: details stay
constexpr double kMinTolerance = 1e-15;  // of the longest side: its inverse counts cells

using GridCell = std::array<std::int64_t, 3>;

struct GridCellHash {
  std::size_t operator()(const GridCell& cell) const {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (const std::int64_t i : cell) {
      h = (h ^ static_cast<std::uint64_t>(i)) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};

/// Vertices of edges with an odd number of triangles, ascending.
std::vector<std::uint32_t> open_vertices(const std::vector<EdgeSide>& sides, std::size_t& edges) {
  std::vector<std::uint32_t> open;
  edges = 0;
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    if ((end - begin) % 2 == 0) return;
    ++edges;
    open.push_back(sides[begin].low);
    open.push_back(sides[begin].high);
  });
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  return open;
}

/// Length of the shortest edge at each vertex.
std::vector<double> shortest_edges(const TriangleMesh& mesh, const std::vector<EdgeSide>& sides) {
  std::vector<double> lengths(mesh.vertices.size(), std::numeric_limits<double>::infinity());
  for (const EdgeSide& side : sides) {
    const double length = (mesh.vertices[side.high] - mesh.vertices[side.low]).norm();
    for (const std::uint32_t v : {side.low, side.high}) lengths[v] = std::min(lengths[v], length);
  }
  return lengths;
}

/// Vertices that stay, by the cube of side `tolerance` that they lie in.
class StayingVertices {
 public:
  StayingVertices(const TriangleMesh& mesh, double tolerance)
      : mesh_(mesh), tolerance_(tolerance), origin_(bounding_box(mesh).lower) {}

  void add(std::uint32_t v) { cells_[cell_of(v)].push_back(v); }

  /// The nearest within the tolerance and within `radius`; v itself if there is none.
  std::uint32_t nearest(std::uint32_t v, double radius) const {
    const GridCell centre = cell_of(v);
    std::uint32_t best = v;
    double least = std::min(tolerance_ * (1.0 + 1e-9), radius);  // exactly one digit counts
    for (int n = 0; n < 27; ++n) {
      const auto found =
          cells_.find({centre[0] + n % 3 - 1, centre[1] + n / 3 % 3 - 1, centre[2] + n / 9 - 1});
      if (found == cells_.end()) continue;
      for (const std::uint32_t other : found->second) {
        const double distance = (mesh_.vertices[other] - mesh_.vertices[v]).cwiseAbs().maxCoeff();
        const bool farther = distance == least && best != v && best < other;
        if (distance > least || farther) continue;
        least = distance;
        best = other;
      }
    }
    return best;
  }

 private:
  GridCell cell_of(std::uint32_t v) const {
    const Vector3 at = (mesh_.vertices[v] - origin_) / tolerance_;
    return {static_cast<std::int64_t>(at.x()), static_cast<std::int64_t>(at.y()),
            static_cast<std::int64_t>(at.z())};
  }

  const TriangleMesh& mesh_;
  double tolerance_;
  Vector3 origin_;
  std::unordered_map<GridCell, std::vector<std::uint32_t>, GridCellHash> cells_;
};

}  // namespace

std::size_t join_open_edges(TriangleMesh& mesh, double tolerance) {
  if (!(tolerance > kMinTolerance * bounding_box(mesh).longest_side())) return 0;
  const std::vector<EdgeSide> sides = sorted_edge_sides(mesh);
  std::size_t open_before = 0, open_after = 0;
  const std::vector<std::uint32_t> open = open_vertices(sides, open_before);
  StayingVertices staying(mesh, tolerance);
  std::unordered_map<std::uint32_t, std::uint32_t> joined;
  const std::vector<double> shortest = shortest_edges(mesh, sides);
  for (const std::uint32_t v : open) {
    const std::uint32_t other = staying.nearest(v, kMaxShare * shortest[v]);
    const double distance = (mesh.vertices[other] - mesh.vertices[v]).cwiseAbs().maxCoeff();
    if (other == v || distance > kMaxShare * shortest[other]) {
      staying.add(v);
    } else {
      joined[v] = other;
    }
  }
  if (joined.empty()) return 0;
  TriangleMesh result = mesh;
  for (auto& triangle : result.triangles) {
    for (std::uint32_t& v : triangle) {
      if (const auto found = joined.find(v); found != joined.end()) v = found->second;
    }
  }
  open_vertices(sorted_edge_sides(result), open_after);
  if (open_after >= open_before) return 0;
  mesh = std::move(result);
  return joined.size();
}

}  // namespace haptic
