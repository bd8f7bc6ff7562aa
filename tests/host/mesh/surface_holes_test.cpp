#include "host/mesh/surface_holes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"

namespace haptic {
namespace {

/// Without the triangles whose centroid `drop` accepts.
template <typename Drop>
TriangleMesh without(TriangleMesh mesh, Drop drop) {
  std::erase_if(mesh.triangles, [&](const auto& t) {
    return drop(Vector3((mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3.0));
  });
  return mesh;
}

TEST(SurfaceHoles, a_closed_surface_has_none) {
  EXPECT_TRUE(find_holes(make_shape("torus", {})).empty());
  EXPECT_TRUE(find_holes({}).empty());
}

TEST(SurfaceHoles, two_faces_of_a_box_are_closed_exactly) {
  const TriangleMesh box = make_shape("box", {{"resolution", 5}});
  const BoundingBox bounds = bounding_box(box);
  TriangleMesh mesh = without(box, [&](const Vector3& c) {
    return c.x() > bounds.upper.x() - 1e-9 || c.x() < bounds.lower.x() + 1e-9;
  });
  const std::vector<SurfaceHole> holes = find_holes(mesh);
  ASSERT_EQ(holes.size(), 2u);
  for (const SurfaceHole& hole : holes) {
    EXPECT_NEAR(std::abs(hole.centre.x()), bounds.upper.x(), 1e-15);
    EXPECT_NEAR(hole.size, std::max(bounds.size().y(), bounds.size().z()), 1e-15);
  }
  close_holes(mesh, holes);
  EXPECT_EQ(mesh.vertices.size(), box.vertices.size());
  const MeshReport report = inspect_mesh(mesh);
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
  EXPECT_NEAR(report.volume, signed_volume(box), 1e-12 * signed_volume(box));
}

// A tetrahedron without two of its faces: of the two diagonals of the hole one is the edge between
// the others, which must not get a third and fourth triangle.
TEST(SurfaceHoles, a_diagonal_that_is_an_edge_already_is_not_used) {
  const std::array<std::array<std::uint32_t, 3>, 4> faces = {
      {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  std::size_t about_a_middle = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::uint32_t turn = 0; turn < 3; ++turn) {
        TriangleMesh mesh;
        mesh.vertices = {{0, 0, 0}, {1, 0, 0.1}, {0.1, 1, 0}, {0, 0.2, 1}};
        for (std::size_t f = 0; f < 4; ++f) {
          if (f == a || f == b) continue;
          std::array<std::uint32_t, 3> corners = faces[f];
          std::rotate(corners.begin(), corners.begin() + turn, corners.end());
          mesh.triangles.push_back(corners);
        }
        close_holes(mesh, find_holes(mesh));
        EXPECT_TRUE(inspect_mesh(mesh).closed_manifold()) << a << b << turn;
        about_a_middle += mesh.vertices.size() - 4;
      }
    }
  }
  EXPECT_GT(about_a_middle, 0U);
  EXPECT_LT(about_a_middle, 18U);
}

TEST(SurfaceHoles, holes_that_touch_in_a_vertex_are_two) {
  // A plate of 4 x 4 squares without two that share a corner; its rim is a hole, too.
  TriangleMesh mesh;
  for (int j = 0; j <= 4; ++j) {
    for (int i = 0; i <= 4; ++i) mesh.vertices.emplace_back(i, j, 0.1 * i * j);
  }
  for (std::uint32_t j = 0; j < 4; ++j) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      if ((i == 1 && j == 1) || (i == 2 && j == 2)) continue;
      const std::uint32_t v = 5 * j + i;
      mesh.triangles.push_back({v, v + 1, v + 6});
      mesh.triangles.push_back({v, v + 6, v + 5});
    }
  }
  std::vector<std::size_t> sizes;
  for (const SurfaceHole& hole : find_holes(mesh)) sizes.push_back(hole.vertices.size());
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 16}));
  TriangleMesh closed = mesh;
  close_holes(closed, find_holes(mesh));  // the rim about a new vertex, for the sake of its corners
  EXPECT_TRUE(inspect_mesh(closed).closed_manifold());
}

TEST(SurfaceHoles, edges_at_an_unclear_edge_belong_to_none) {
  TriangleMesh mesh;  // three triangles on one edge
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  EXPECT_TRUE(find_holes(mesh).empty());
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}};  // two that disagree
  EXPECT_TRUE(find_holes(mesh).empty());
}

TEST(SurfaceHoles, one_triangle_has_its_rim) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  mesh.triangles = {{0, 1, 2}};
  const std::vector<SurfaceHole> holes = find_holes(mesh);
  ASSERT_EQ(holes.size(), 1u);
  EXPECT_EQ(holes[0].size, 2.0);
  EXPECT_EQ(holes[0].centre, Vector3(0.5, 1.0, 0.0));
}

}  // namespace
}  // namespace haptic
