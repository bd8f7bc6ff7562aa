#include "host/formats/parse_surface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/formats/polygon_soup.h"
#include "host/mesh/polygon_triangles.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Exact position.
struct PositionKey {
  std::array<std::uint64_t, 3> bits;
  bool operator==(const PositionKey&) const = default;
};

struct PositionHash {
  std::size_t operator()(const PositionKey& key) const {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (const std::uint64_t word : key.bits) {
      h = (h ^ word) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};

/// Triangles between the distinct positions of a soup.
TriangleMesh weld(const PolygonSoup& soup) {
  constexpr std::uint32_t kUnused = ~0U;
  TriangleMesh mesh;
  std::unordered_map<PositionKey, std::uint32_t, PositionHash> at_position;
  std::vector<std::uint32_t> id(soup.vertices.size(), kUnused);
  const auto add = [&](std::uint32_t vertex) {
    if (id[vertex] != kUnused) return id[vertex];
    const Vector3 v = soup.vertices[vertex] + Vector3::Zero();  // -0 + 0 = 0: one place
    const PositionKey key{{std::bit_cast<std::uint64_t>(v.x()), std::bit_cast<std::uint64_t>(v.y()),
                           std::bit_cast<std::uint64_t>(v.z())}};
    const auto next = static_cast<std::uint32_t>(mesh.vertices.size());
    const auto [it, is_new] = at_position.try_emplace(key, next);
    if (is_new) mesh.vertices.push_back(v);
    return id[vertex] = it->second;
  };
  std::vector<Vector3> corners;
  std::vector<std::array<std::uint32_t, 3>> cut;
  for (std::size_t f = 0; f < soup.face_count(); ++f) {
    const std::uint32_t begin = soup.face_begin(f), end = soup.face_ends[f];
    corners.clear();
    for (std::uint32_t c = begin; c < end; ++c) corners.push_back(soup.vertices[soup.corners[c]]);
    cut.clear();
    triangulate_polygon(corners, cut);
    for (const auto& [i, j, k] : cut) {
      const std::uint32_t a = add(soup.corners[begin + i]), b = add(soup.corners[begin + j]);
      mesh.triangles.push_back({a, b, add(soup.corners[begin + k])});
    }
  }
  return mesh;
}

}  // namespace

double joining_tolerance(const SurfaceFile& surface) {
  constexpr double kArithmetic = 1e-7, kMax = 1e-3;
  const double side = bounding_box(surface.mesh).longest_side();
  return std::min(std::max(kArithmetic * side, surface.last_digit), kMax * side);
}

SurfaceFile parse_surface(std::string_view bytes, std::string_view extension,
                          const std::string& file) {
  const auto read = extension == ".obj" ? read_obj : extension == ".stl" ? read_stl : read_ply;
  const PolygonSoup soup = read(bytes, file);
  SurfaceFile surface{weld(soup), soup.last_digit};
  if (surface.mesh.triangles.empty()) {
    throw InputError(file, "", "no triangles", "at least one face");
  }
  if (!(bounding_box(surface.mesh).longest_side() > 0.0)) {
    throw InputError(file, "", "all vertices at one position", "a mesh with extent");
  }
  return surface;
}

}  // namespace haptic
