#include <cmath>
#include <numbers>
#include <utility>

#include "host/mesh/shape_table.h"
#include "host/mesh/tube.h"

namespace haptic {
namespace {

/// Surface of a box, `n` squares along each axis, corner at `lower`.
TriangleMesh box_surface(const Vector3& lower, const Vector3& size,
                         const std::array<std::uint32_t, 3>& n) {
  TriangleMesh mesh;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> ids;
  const auto vertex = [&](const std::array<std::uint32_t, 3>& at) {
    const auto [it, is_new] = ids.try_emplace(at, static_cast<std::uint32_t>(mesh.vertices.size()));
    if (is_new) {
      mesh.vertices.emplace_back(lower + Vector3(size.x() * at[0] / n[0], size.y() * at[1] / n[1],
                                                 size.z() * at[2] / n[2]));
    }
    return it->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const bool upper : {false, true}) {
      for (std::uint32_t i = 0; i < n[u]; ++i) {
        for (std::uint32_t j = 0; j < n[v]; ++j) {
          const auto corner = [&](std::uint32_t di, std::uint32_t dj) {
            std::array<std::uint32_t, 3> at{};
            at[axis] = upper ? n[axis] : 0;
            at[u] = i + di;
            at[v] = j + dj;
            return vertex(at);
          };
          std::array<std::uint32_t, 4> q = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
          if (!upper) std::swap(q[1], q[3]);
          mesh.triangles.push_back({q[0], q[1], q[2]});
          mesh.triangles.push_back({q[0], q[2], q[3]});
        }
      }
    }
  }
  return mesh;
}

/// Squares of about `cell` along each side.
std::array<std::uint32_t, 3> divisions(const Vector3& size, double per_longest) {
  std::array<std::uint32_t, 3> n{};
  for (int axis = 0; axis < 3; ++axis) {
    const double wanted = std::round(per_longest * size[axis] / size.maxCoeff());
    n[static_cast<std::size_t>(axis)] = static_cast<std::uint32_t>(std::max(1.0, wanted));
  }
  return n;
}

TriangleMesh build_box(const ShapeValues& value) {
  const Vector3 size(value("size_x"), value("size_z"), value("size_y"));  // z up here
  return box_surface(-0.5 * size, size, divisions(size, value("resolution")));
}

TriangleMesh build_beam(const ShapeValues& value) {
  const Vector3 size(value("length"), value("width"), value("height"));
  return box_surface({0.0, -0.5 * size.y(), -0.5 * size.z()}, size,
                     divisions(size, value("resolution")));
}

TriangleMesh build_sphere(const ShapeValues& value) {
  // An icosahedron, each face split in four `subdivisions` times, pushed out to the sphere.
  const double g = std::numbers::phi;
  TriangleMesh mesh;
  mesh.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (std::uint32_t level = 0; level < value.count("subdivisions"); ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> midpoints;
    const auto midpoint = [&](std::uint32_t a, std::uint32_t b) {
      const auto [it, is_new] = midpoints.try_emplace(
          std::minmax(a, b), static_cast<std::uint32_t>(mesh.vertices.size()));
      if (is_new) {
        const Vector3 middle = 0.5 * (mesh.vertices[a] + mesh.vertices[b]);
        mesh.vertices.push_back(middle);
      }
      return it->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    finer.reserve(4 * mesh.triangles.size());
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = midpoint(a, b), bc = midpoint(b, c), ca = midpoint(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
    for (Vector3& v : mesh.vertices) v.normalize();
  }
  const double radius = value("radius");
  for (Vector3& v : mesh.vertices) v = radius * v.normalized();
  return mesh;
}

TriangleMesh build_torus(const ShapeValues& value) {
  const double ring = value("ring_radius"), tube = value("tube_radius");
  if (tube >= ring) {
    value.refuse("tube_radius", "tube_radius not below ring_radius", "a tube that leaves a hole");
  }
  const std::uint32_t around = value.count("resolution");
  const auto section = static_cast<std::uint32_t>(
      std::max(8.0, std::round(static_cast<double>(around) * tube / ring)));
  std::vector<std::vector<Vector3>> rings(around);
  for (std::uint32_t i = 0; i < around; ++i) {
    const double a = 2.0 * std::numbers::pi * i / around;
    for (std::uint32_t j = 0; j < section; ++j) {
      const double b = 2.0 * std::numbers::pi * j / section;
      const double radius = ring + tube * std::cos(b);
      rings[i].emplace_back(radius * std::cos(a), radius * std::sin(a), tube * std::sin(b));
    }
  }
  return joined_rings(rings, RingEnds::kCyclic);
}

TriangleMesh build_cylinder(const ShapeValues& value) {
  const double radius = value("radius"), length = value("length");
  const std::uint32_t along = value.count("resolution");
  const auto section = static_cast<std::uint32_t>(
      std::max(12.0, std::round(2.0 * std::numbers::pi * radius / length * along)));
  std::vector<TubeSection> sections;
  for (std::uint32_t i = 0; i <= along; ++i) {
    sections.push_back({{length * i / along, 0.0, 0.0}, radius});
  }
  return solid_tube(sections, section, TubeEnds::kFlat);
}

}  // namespace

std::vector<ShapeEntry> basic_shapes() {
  return {
      {{"beam",
        "straight bar from x = 0 along +x",
        {{"length", 0.2, 1e-3, 10.0, "m", "along x"},
         {"width", 0.03, 1e-4, 10.0, "m", "along z"},
         {"height", 0.02, 1e-4, 10.0, "m", "along y"},
         {"resolution", 40, 1, 500, "1", "squares along the longest side"}}},
       build_beam},
      {{"box",
        "box centred on the origin",
        {{"size_x", 0.04, 1e-4, 10.0, "m", "along x"},
         {"size_y", 0.04, 1e-4, 10.0, "m", "along y"},
         {"size_z", 0.04, 1e-4, 10.0, "m", "along z"},
         {"resolution", 8, 1, 500, "1", "squares along the longest side"}}},
       build_box},
      {{"plate",
        "thin sheet centred on the origin, normal y",
        {{"size_x", 0.2, 1e-4, 10.0, "m", "along x"},
         {"size_y", 0.004, 1e-5, 10.0, "m", "thickness"},
         {"size_z", 0.2, 1e-4, 10.0, "m", "along z"},
         {"resolution", 40, 1, 500, "1", "squares along the longest side"}}},
       build_box},
      {{"cylinder",
        "round bar from x = 0 along +x, flat ends",
        {{"length", 0.1, 1e-3, 10.0, "m", "along x"},
         {"radius", 0.01, 1e-4, 10.0, "m", "of the section"},
         {"resolution", 40, 1, 1000, "1", "segments along the length"}}},
       build_cylinder},
      {{"sphere",
        "ball centred on the origin",
        {{"radius", 0.02, 1e-4, 10.0, "m", "of the ball"},
         {"subdivisions", 4, 0, 8, "1", "20 * 4^n triangles"}}},
       build_sphere},
      {{"torus",
        "ring around y",
        {{"ring_radius", 0.08, 1e-3, 10.0, "m", "centre line"},
         {"tube_radius", 0.025, 1e-4, 10.0, "m", "of the section"},
         {"resolution", 96, 8, 1000, "1", "segments around the ring"}}},
       build_torus},
  };
}

}  // namespace haptic
