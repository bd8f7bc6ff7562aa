#include "rt/bodies/cloth_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

using Point = std::array<double, 3>;
using Triangle = std::array<std::uint32_t, 3>;

double squared_distance(const Point& a, const Point& b) {
  double sum = 0.0;
  for (std::size_t c = 0; c < 3; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/// Twice the area.
double doubled_area(const Point& a, const Point& b, const Point& c) {
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2];
  return std::hypot(x, y, u[0] * v[1] - u[1] * v[0]);
}

/// The edge of a triangle from one corner to the next.
struct HalfEdge {
  std::uint32_t from = 0, to = 0, triangle = 0;
  bool operator<(const HalfEdge& other) const {
    return std::tie(from, to, triangle) < std::tie(other.from, other.to, other.triangle);
  }
};

/// The half-edges of a mesh, ordered by both ends.
class HalfEdges {
 public:
  HalfEdges(const std::vector<Triangle>& triangles, std::size_t vertices)
      : begin_(vertices + 1, 0) {
    edges_.reserve(3 * triangles.size());
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        edges_.push_back({triangles[t][k], triangles[t][(k + 1) % 3], t});
      }
    }
    std::sort(edges_.begin(), edges_.end());
    for (const HalfEdge& edge : edges_) ++begin_[edge.from + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }

  std::span<const HalfEdge> all() const { return edges_; }
  /// Those that leave a vertex.
  std::span<const HalfEdge> leaving(std::uint32_t vertex) const {
    return all().subspan(begin_[vertex], begin_[vertex + 1] - begin_[vertex]);
  }
  /// nullptr if there is none.
  const HalfEdge* find(std::uint32_t from, std::uint32_t to) const {
    const std::span<const HalfEdge> candidates = leaving(from);
    const auto found = std::ranges::lower_bound(candidates, to, {}, &HalfEdge::to);
    return found == candidates.end() || found->to != to ? nullptr : &*found;
  }

 private:
  std::vector<HalfEdge> edges_;
  std::vector<std::size_t> begin_;  // first edge that leaves each vertex
};

class MeshCheck {
 public:
  MeshCheck(const ClothMesh& mesh, std::string_view source) : mesh_(mesh), source_(source) {}

  void run() const {
    check_vertices();
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) check_triangle(t);
    check_repeats();
    const HalfEdges edges(mesh_.triangles, mesh_.vertices.size());
    check_edges(edges);
    for (std::uint32_t i = 0; i < mesh_.vertices.size(); ++i) check_fan(edges, i);
    for (std::size_t q = 0; q < mesh_.quads.size(); ++q) check_quad(edges, q);
  }

 private:
  [[noreturn]] void refuse(const std::string& where, const std::string& found,
                           std::string_view expected) const {
    throw InputError(source_, where, found, expected);
  }

  void check_vertices() const {
    if (mesh_.triangles.empty()) refuse("", "no triangles", "at least 1");
    for (std::size_t i = 0; i < mesh_.vertices.size(); ++i) {
      const Point& p = mesh_.vertices[i];
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
        refuse(fmt::format("vertex {}", i), "a coordinate that is not finite", "numbers [m]");
      }
    }
  }

  void check_triangle(std::size_t t) const {
    const Triangle& corners = mesh_.triangles[t];
    for (const std::uint32_t i : corners) {
      if (i >= mesh_.vertices.size()) {
        refuse(fmt::format("triangle {}", t), fmt::format("vertex {}", i),
               fmt::format("a number below {}", mesh_.vertices.size()));
      }
    }
    const Point &a = mesh_.vertices[corners[0]], &b = mesh_.vertices[corners[1]],
                &c = mesh_.vertices[corners[2]];
    const double longest =
        std::max({squared_distance(a, b), squared_distance(b, c), squared_distance(c, a)});
    if (!(doubled_area(a, b, c) > 2e-12 * longest)) {
      refuse(fmt::format("triangle {}", t),
             fmt::format("vertices {}, {}, {} on a line", corners[0], corners[1], corners[2]),
             "a triangle with an area");
    }
  }

  void check_repeats() const {
    std::vector<std::pair<Triangle, std::uint32_t>> sorted;
    sorted.reserve(mesh_.triangles.size());
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
      Triangle corners = mesh_.triangles[t];
      std::sort(corners.begin(), corners.end());
      sorted.emplace_back(corners, t);
    }
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::ranges::adjacent_find(
        sorted, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice == sorted.end()) return;
    refuse(fmt::format("triangle {}", (twice + 1)->second),
           fmt::format("the vertices of triangle {}", twice->second), "each triangle once");
  }

  void check_edges(const HalfEdges& edges) const {
    const std::span<const HalfEdge> all = edges.all();
    const auto twice = std::ranges::adjacent_find(
        all, [](const HalfEdge& a, const HalfEdge& b) { return a.from == b.from && a.to == b.to; });
    if (twice == all.end()) return;
    refuse(fmt::format("triangle {}", (twice + 1)->triangle),
           fmt::format("edge {}-{} in the direction in which triangle {} has it", twice->from,
                       twice->to, twice->triangle),
           "at most two triangles at an edge, both facing the same side");
  }

  /// Around a vertex, each triangle leads to the next across the edge that they share. A closed
  /// fan returns to its first triangle, an open one begins at a border edge.
  void check_fan(const HalfEdges& edges, std::uint32_t i) const {
    const std::span<const HalfEdge> leaving = edges.leaving(i);
    if (leaving.empty()) {
      refuse(fmt::format("vertex {}", i), "no triangle has it", "used vertices only");
    }
    std::uint32_t first = leaving[0].to;
    std::size_t borders = 0, count = 0;
    for (const HalfEdge& edge : leaving) {
      if (edges.find(edge.to, i)) continue;
      first = edge.to;
      ++borders;
    }
    std::uint32_t to = first;
    do {
      const HalfEdge* const edge = edges.find(i, to);
      if (!edge) break;
      ++count;
      to = third(mesh_.triangles[edge->triangle], i, to);
    } while (to != first && count < leaving.size());
    if (count != leaving.size() || borders > 1) {
      refuse(fmt::format("vertex {}", i), "triangles that share only this vertex",
             "one fan of triangles at a vertex");
    }
  }

  static std::uint32_t third(const Triangle& corners, std::uint32_t a, std::uint32_t b) {
    for (const std::uint32_t c : corners) {
      if (c != a && c != b) return c;
    }
    return a;
  }

  void check_quad(const HalfEdges& edges, std::size_t q) const {
    const auto& c = mesh_.quads[q];
    const bool in_range = std::ranges::max(c) < mesh_.vertices.size();
    /// Whether the triangle that has the edge from -> to has `corner` opposite.
    const auto is_triangle = [&](std::uint32_t from, std::uint32_t to, std::uint32_t corner) {
      const HalfEdge* const edge = edges.find(from, to);
      return edge && third(mesh_.triangles[edge->triangle], from, to) == corner;
    };
    if (in_range) {
      if (is_triangle(c[0], c[1], c[2]) && is_triangle(c[2], c[3], c[0])) return;
      if (is_triangle(c[1], c[2], c[3]) && is_triangle(c[3], c[0], c[1])) return;
    }
    refuse(fmt::format("quad {}", q), fmt::format("corners {}", fmt::join(c, ", ")),
           "two of the triangles, joined at a diagonal");
  }

  const ClothMesh& mesh_;
  std::string_view source_;
};

/// One side of an undirected edge, with the third corner of its triangle.
struct EdgeSide {
  std::uint32_t a = 0, b = 0, triangle = 0, opposite = 0;
  /// Each triangle is once at an edge.
  bool operator<(const EdgeSide& other) const {
    return std::tie(a, b, triangle) < std::tie(other.a, other.b, other.triangle);
  }
};

}  // namespace

ClothMesh make_grid(GridSize size, double width, double height) {
  const auto [nx, ny] = size;
  if (nx < 2 || ny < 2) {
    throw InputError("", "particles", fmt::format("{} x {}", nx, ny), "at least 2 x 2");
  }
  if (std::uint64_t{nx} * ny > (1u << 31)) {
    throw InputError("", "particles", fmt::format("{} x {}", nx, ny), "at most 2^31 in all");
  }
  for (const double side : {width, height}) {
    if (!std::isfinite(side) || side <= 0.0) {
      throw InputError("", "size", fmt::format("{} m", side), "a number > 0 [m]");
    }
  }
  ClothMesh mesh;
  mesh.grid = size;
  const auto id = [nx = nx](std::uint32_t i, std::uint32_t j) { return j * nx + i; };
  for (std::uint32_t j = 0; j < ny; ++j) {
    for (std::uint32_t i = 0; i < nx; ++i) {
      mesh.vertices.push_back({width * i / (nx - 1), height * j / (ny - 1), 0.0});
    }
  }
  for (std::uint32_t j = 0; j + 1 < ny; ++j) {
    for (std::uint32_t i = 0; i + 1 < nx; ++i) {
      const std::uint32_t a = id(i, j), b = id(i + 1, j), c = id(i + 1, j + 1), d = id(i, j + 1);
      mesh.quads.push_back({a, b, c, d});
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  }
  return mesh;
}

void check_cloth_mesh(const ClothMesh& mesh, std::string_view source) {
  MeshCheck(mesh, source).run();
}

std::vector<MeshEdge> mesh_edges(const ClothMesh& mesh) {
  std::vector<EdgeSide> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corners = mesh.triangles[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(corners[k], corners[(k + 1) % 3]);
      sides.push_back({a, b, t, corners[(k + 2) % 3]});
    }
  }
  std::sort(sides.begin(), sides.end());
  std::vector<MeshEdge> edges;
  for (const EdgeSide& side : sides) {
    if (edges.empty() || edges.back().a != side.a || edges.back().b != side.b) {
      edges.push_back({side.a, side.b, {side.opposite, MeshEdge::kNone}});
    } else {
      edges.back().opposite[1] = side.opposite;
    }
  }
  return edges;
}

std::vector<double> uniform_masses(double total, std::size_t particles) {
  if (!std::isfinite(total) || total <= 0.0) {
    throw InputError("", "mass", fmt::format("{} kg", total), "a number > 0 [kg]");
  }
  return std::vector<double>(particles, total / static_cast<double>(particles));
}

}  // namespace haptic
