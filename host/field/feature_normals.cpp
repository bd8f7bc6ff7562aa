#include "host/field/feature_normals.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace haptic {

namespace {

/// Below this ratio of twice the area to the longest edge squared, the normal is rounding noise.
constexpr double kSliver = 1e-12;

Vector3 face_normal(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 n = (b - a).cross(c - a);
  const double longest =
      std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  const double length = n.norm();
  return length > kSliver * longest ? Vector3(n / length) : Vector3::Zero();
}

/// Angle between two directions, accurate near 0 and pi.
double angle(const Vector3& u, const Vector3& v) {
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

struct HalfEdge {
  std::uint32_t low, high;  ///< end vertices
  std::uint32_t triangle;
  std::uint8_t corner;  ///< edge (corner, corner + 1)
  bool forward;         ///< runs from low to high
};

std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::uint8_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t from = mesh.triangles[t][corner];
      const std::uint32_t to = mesh.triangles[t][(corner + 1u) % 3u];
      edges.push_back({std::min(from, to), std::max(from, to), t, corner, from < to});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& x, const HalfEdge& y) {
    return std::pair(std::pair(x.low, x.high), std::pair(x.triangle, x.corner)) <
           std::pair(std::pair(y.low, y.high), std::pair(y.triangle, y.corner));
  });
  return edges;
}

/// Joins the corners of a vertex that share an edge; counts the groups that remain.
class CornerFans {
 public:
  explicit CornerFans(std::size_t corners) : parent_(corners) {
    for (std::size_t i = 0; i < corners; ++i) parent_[i] = static_cast<std::uint32_t>(i);
  }
  std::uint32_t root(std::uint32_t corner) {
    while (parent_[corner] != corner) corner = parent_[corner] = parent_[parent_[corner]];
    return corner;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

std::uint32_t corner_at(const TriangleMesh& mesh, std::uint32_t triangle, std::uint32_t vertex) {
  const auto& t = mesh.triangles[triangle];
  return 3 * triangle + (t[0] == vertex ? 0u : t[1] == vertex ? 1u : 2u);
}

}  // namespace

FeatureNormals feature_normals(const TriangleMesh& mesh) {
  FeatureNormals normals;
  const std::size_t triangles = mesh.triangles.size();
  normals.face.reserve(triangles);
  normals.edge.assign(3 * triangles, Vector3::Zero());
  normals.edge_ambiguous.assign(3 * triangles, false);
  normals.vertex.assign(mesh.vertices.size(), Vector3::Zero());
  normals.vertex_ambiguous.assign(mesh.vertices.size(), false);

  for (const auto& t : mesh.triangles) {
    const Vector3& a = mesh.vertices[t[0]];
    const Vector3& b = mesh.vertices[t[1]];
    const Vector3& c = mesh.vertices[t[2]];
    const Vector3 n = face_normal(a, b, c);
    normals.face.push_back(n);
    if (n.isZero()) continue;
    normals.vertex[t[0]] += angle(b - a, c - a) * n;
    normals.vertex[t[1]] += angle(c - b, a - b) * n;
    normals.vertex[t[2]] += angle(a - c, b - c) * n;
  }
  for (Vector3& n : normals.vertex) {
    if (n.norm() > 1e-12) n.normalize();
  }

  CornerFans fans(3 * triangles);
  const std::vector<HalfEdge> edges = sorted_half_edges(mesh);
  for (std::size_t first = 0; first < edges.size();) {
    std::size_t last = first;
    Vector3 sum = Vector3::Zero();
    bool slivers = false;
    while (last < edges.size() && edges[last].low == edges[first].low &&
           edges[last].high == edges[first].high) {
      const Vector3& n = normals.face[edges[last].triangle];
      sum += n;
      slivers = slivers || n.isZero();
      ++last;
    }
    const bool pair = last - first == 2 && edges[first].forward != edges[first + 1].forward;
    const bool ambiguous = !pair || slivers;
    // Two faces folded back onto each other have no normal in common.
    const Vector3 n = sum.norm() > 1e-12 ? Vector3(sum.normalized()) : Vector3::Zero();
    for (std::size_t e = first; e < last; ++e) {
      const std::size_t slot = 3 * static_cast<std::size_t>(edges[e].triangle) + edges[e].corner;
      normals.edge[slot] = n;
      normals.edge_ambiguous[slot] = ambiguous || n.isZero();
    }
    if (ambiguous) {
      normals.vertex_ambiguous[edges[first].low] = true;
      normals.vertex_ambiguous[edges[first].high] = true;
    } else {
      for (const std::uint32_t v : {edges[first].low, edges[first].high}) {
        fans.join(corner_at(mesh, edges[first].triangle, v),
                  corner_at(mesh, edges[first + 1].triangle, v));
      }
    }
    first = last;
  }

  std::vector<std::uint32_t> fan_of_vertex(mesh.vertices.size(), UINT32_MAX);
  for (std::uint32_t t = 0; t < triangles; ++t) {
    for (std::uint32_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t vertex = mesh.triangles[t][corner];
      const std::uint32_t fan = fans.root(3 * t + corner);
      if (fan_of_vertex[vertex] == UINT32_MAX) fan_of_vertex[vertex] = fan;
      if (fan_of_vertex[vertex] != fan) normals.vertex_ambiguous[vertex] = true;
    }
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (normals.vertex[v].isZero()) normals.vertex_ambiguous[v] = true;
  }
  return normals;
}

}  // namespace haptic
