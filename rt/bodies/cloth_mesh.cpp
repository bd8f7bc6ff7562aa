#include "rt/bodies/cloth_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
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

class MeshCheck {
 public:
  MeshCheck(const ClothMesh& mesh, std::string_view source) : mesh_(mesh), source_(source) {}

  void run() {
    check_vertices();
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) check_triangle(t);
    check_fans();
    for (std::size_t q = 0; q < mesh_.quads.size(); ++q) check_quad(q);
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

  void check_triangle(std::size_t t) {
    const Triangle& corners = mesh_.triangles[t];
    const std::string where = fmt::format("triangle {}", t);
    for (const std::uint32_t i : corners) {
      if (i >= mesh_.vertices.size()) {
        refuse(where, fmt::format("vertex {}", i),
               fmt::format("a number below {}", mesh_.vertices.size()));
      }
    }
    const Point &a = mesh_.vertices[corners[0]], &b = mesh_.vertices[corners[1]],
                &c = mesh_.vertices[corners[2]];
    const double longest =
        std::max({squared_distance(a, b), squared_distance(b, c), squared_distance(c, a)});
    if (!(doubled_area(a, b, c) > 2e-12 * longest)) {
      refuse(where,
             fmt::format("vertices {}, {}, {} on a line", corners[0], corners[1], corners[2]),
             "a triangle with an area");
    }
    Triangle sorted = corners;
    std::sort(sorted.begin(), sorted.end());
    if (const auto [other, is_new] = triangles_.emplace(sorted, t); !is_new) {
      refuse(where, fmt::format("the vertices of triangle {}", other->second),
             "each triangle once");
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = corners[k], to = corners[(k + 1) % 3];
      const auto [other, is_new] = half_edges_.emplace(std::pair(from, to), t);
      if (!is_new) {
        refuse(where,
               fmt::format("edge {}-{} in the direction in which triangle {} has it", from, to,
                           other->second),
               "at most two triangles at an edge, both facing the same side");
      }
    }
  }

  /// Around a vertex, each triangle leads to the next across the edge that they share. A closed
  /// fan returns to its first triangle, an open one begins at a border edge.
  void check_fans() const {
    std::vector<std::uint32_t> at_vertex(mesh_.vertices.size(), 0), starts(at_vertex.size(), 0);
    std::vector<std::uint32_t> leaving(at_vertex.size(), 0);
    for (const auto& [edge, triangle] : half_edges_) {
      ++at_vertex[edge.first];
      leaving[edge.first] = edge.second;
      if (!half_edges_.contains({edge.second, edge.first})) {
        ++starts[edge.first];
      }
    }
    // A border edge leaves where the fan begins.
    for (const auto& [edge, triangle] : half_edges_) {
      if (!half_edges_.contains({edge.second, edge.first})) leaving[edge.first] = edge.second;
    }
    for (std::uint32_t i = 0; i < at_vertex.size(); ++i) {
      const std::string where = fmt::format("vertex {}", i);
      if (at_vertex[i] == 0) refuse(where, "no triangle has it", "used vertices only");
      std::uint32_t count = 0, to = leaving[i];
      while (count < at_vertex[i]) {
        const auto edge = half_edges_.find({i, to});
        if (edge == half_edges_.end()) break;
        ++count;
        to = third(mesh_.triangles[edge->second], i, to);
        if (to == leaving[i]) break;
      }
      if (count != at_vertex[i] || starts[i] > 1) {
        refuse(where, "triangles that share only this vertex", "one fan of triangles at a vertex");
      }
    }
  }

  static std::uint32_t third(const Triangle& corners, std::uint32_t a, std::uint32_t b) {
    for (const std::uint32_t c : corners) {
      if (c != a && c != b) return c;
    }
    return a;
  }

  /// Whether the triangle that has the edge from -> to has `corner` opposite.
  bool is_triangle(std::uint32_t from, std::uint32_t to, std::uint32_t corner) const {
    const auto edge = half_edges_.find({from, to});
    return edge != half_edges_.end() && third(mesh_.triangles[edge->second], from, to) == corner;
  }

  void check_quad(std::size_t q) const {
    const auto& c = mesh_.quads[q];
    const bool along_02 = is_triangle(c[0], c[1], c[2]) && is_triangle(c[2], c[3], c[0]);
    const bool along_13 = is_triangle(c[1], c[2], c[3]) && is_triangle(c[3], c[0], c[1]);
    if (!along_02 && !along_13) {
      refuse(fmt::format("quad {}", q),
             fmt::format("corners {}, {}, {}, {}", c[0], c[1], c[2], c[3]),
             "two of the triangles, joined at a diagonal");
    }
  }

  const ClothMesh& mesh_;
  std::string_view source_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> half_edges_;  // to its triangle
  std::map<Triangle, std::size_t> triangles_;
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
  std::map<std::pair<std::uint32_t, std::uint32_t>, MeshEdge> edges;
  for (const Triangle& corners : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(corners[k], corners[(k + 1) % 3]);
      MeshEdge& edge = edges[{a, b}];
      edge.a = a;
      edge.b = b;
      edge.opposite[edge.opposite[0] == MeshEdge::kNone ? 0 : 1] = corners[(k + 2) % 3];
    }
  }
  std::vector<MeshEdge> list;
  for (const auto& [ends, edge] : edges) list.push_back(edge);
  return list;
}

std::vector<double> uniform_masses(double total, std::size_t particles) {
  if (!std::isfinite(total) || total <= 0.0) {
    throw InputError("", "mass", fmt::format("{} kg", total), "a number > 0 [kg]");
  }
  return std::vector<double>(particles, total / static_cast<double>(particles));
}

}  // namespace haptic
