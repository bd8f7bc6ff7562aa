#include "host/mesh/join_open_edges.h"

#include <gtest/gtest.h>

#include <random>

#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"

namespace haptic {
namespace {

/// Every triangle with corners of its own, moved by up to `noise` along each axis.
TriangleMesh torn(const TriangleMesh& mesh, double noise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> by(-0.5 * noise, 0.5 * noise);
  TriangleMesh result;
  for (const auto& triangle : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(result.vertices.size());
    for (const std::uint32_t v : triangle) {
      result.vertices.push_back(mesh.vertices[v] + Vector3(by(random), by(random), by(random)));
    }
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

TEST(JoinOpenEdges, a_torn_surface_is_closed_within_the_tolerance_and_not_below) {
  const TriangleMesh torus = make_shape("torus", {});
  TriangleMesh mesh = torn(torus, 1e-9);
  ASSERT_EQ(inspect_mesh(mesh).boundary_edges, 3 * torus.triangles.size());
  TriangleMesh joined = mesh;
  EXPECT_EQ(join_open_edges(joined, 1e-9), 3 * torus.triangles.size() - torus.vertices.size());
  const MeshReport report = clean_mesh(joined);
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
  EXPECT_EQ(report.vertices, torus.vertices.size());
  EXPECT_EQ(report.triangles, torus.triangles.size());

  joined = mesh;
  join_open_edges(joined, 1e-10);
  EXPECT_FALSE(inspect_mesh(joined).closed);
}

TEST(JoinOpenEdges, a_difference_of_exactly_the_tolerance_is_joined) {
  TriangleMesh mesh = make_shape("box", {{"resolution", 2}});
  const auto extra = static_cast<std::uint32_t>(mesh.vertices.size());
  const std::uint32_t corner = mesh.triangles[0][0];
  mesh.vertices.push_back(mesh.vertices[corner] + Vector3(1e-5, -1e-5, 0.0));
  mesh.triangles[0][0] = extra;
  TriangleMesh less = mesh;
  EXPECT_EQ(join_open_edges(less, 0.99e-5), 0u);
  EXPECT_EQ(join_open_edges(mesh, 1e-5), 1u);
  EXPECT_TRUE(inspect_mesh(mesh).closed_manifold());
}

TEST(JoinOpenEdges, closed_surfaces_and_neighbours_stay) {
  const TriangleMesh box = make_shape("box", {{"resolution", 8}});
  TriangleMesh mesh = box;
  EXPECT_EQ(join_open_edges(mesh, 1.0), 0u);
  // A sheet whose vertices are one tolerance apart.
  TriangleMesh sheet;
  for (int i = 0; i < 10; ++i) {
    sheet.vertices.emplace_back(i, 0, 0);
    sheet.vertices.emplace_back(i, 1, 0);
    if (i == 0) continue;
    const auto n = static_cast<std::uint32_t>(2 * i);
    sheet.triangles.push_back({n - 2, n, n - 1});
    sheet.triangles.push_back({n, n + 1, n - 1});
  }
  const TriangleMesh before = sheet;
  join_open_edges(sheet, 1.0);
  EXPECT_EQ(sheet.triangles, before.triangles);
}

TEST(JoinOpenEdges, no_tolerance_joins_nothing) {
  TriangleMesh mesh = torn(make_shape("box", {{"resolution", 1}}), 0.0);
  const TriangleMesh before = mesh;
  EXPECT_EQ(join_open_edges(mesh, 0.0), 0u);
  EXPECT_EQ(join_open_edges(mesh, 1e-20), 0u);
  EXPECT_EQ(mesh.triangles, before.triangles);
}

}  // namespace
}  // namespace haptic
