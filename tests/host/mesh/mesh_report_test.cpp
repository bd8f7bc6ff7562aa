#include "host/mesh/mesh_report.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "host/mesh/catalogue.h"
#include "shared/error.h"

namespace haptic {
namespace {

TriangleMesh box() {
  return make_shape("box", {{"resolution", 2}});
}

TEST(MeshReport, closed_box) {
  TriangleMesh mesh = box();
  const MeshReport report = clean_mesh(mesh);
  EXPECT_TRUE(report.closed_manifold());
  EXPECT_EQ(report.components, 1U);
  EXPECT_EQ(report.triangles_flipped, 0U);
  EXPECT_NEAR(report.volume, 6.4e-5, 1e-17);
  EXPECT_NEAR(report.area, 6 * 1.6e-3, 1e-15);
}

TEST(MeshReport, a_missing_triangle_opens_three_edges) {
  TriangleMesh mesh = box();
  mesh.triangles.pop_back();
  const MeshReport report = clean_mesh(mesh);
  EXPECT_FALSE(report.closed);
  EXPECT_EQ(report.boundary_edges, 3U);
}

TEST(MeshReport, inside_out_surface_is_turned) {
  TriangleMesh mesh = box();
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  const MeshReport report = clean_mesh(mesh);
  EXPECT_TRUE(report.inside_out);
  EXPECT_GT(report.volume, 0.0);
  EXPECT_GT(signed_volume(mesh), 0.0);
}

TEST(MeshReport, randomly_turned_triangles_agree_again) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    TriangleMesh mesh = make_shape("torus", {});
    std::mt19937 random(seed);
    for (auto& t : mesh.triangles) {
      if (random() % 3 == 0) std::swap(t[1], t[2]);
    }
    const MeshReport report = clean_mesh(mesh);
    EXPECT_TRUE(report.closed_manifold()) << report.summary();
    EXPECT_GT(report.volume, 0.0);
  }
}

TEST(MeshReport, a_cavity_stays_a_cavity) {
  TriangleMesh inner = scaled(box(), 0.5);
  for (auto& t : inner.triangles) std::swap(t[1], t[2]);
  TriangleMesh mesh = merged(box(), inner);
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.components, 2U);
  EXPECT_EQ(report.triangles_flipped, 0U);
  EXPECT_NEAR(report.volume, 6.4e-5 * (1.0 - 0.125), 1e-16);
}

TEST(MeshReport, duplicate_and_degenerate_triangles_are_dropped) {
  TriangleMesh mesh = box();
  const auto triangles = mesh.triangles.size();
  const auto vertices = mesh.vertices.size();
  const auto t = mesh.triangles[5];
  mesh.triangles.push_back({t[1], t[2], t[0]});
  mesh.triangles.push_back({t[1], t[0], t[2]});
  mesh.triangles.push_back({t[0], t[0], t[2]});
  mesh.vertices.emplace_back(9.0, 9.0, 9.0);
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.duplicates_dropped, 2U);
  EXPECT_EQ(report.degenerate_dropped, 1U);
  EXPECT_EQ(report.triangles, triangles);
  EXPECT_EQ(report.vertices, vertices);
  EXPECT_TRUE(report.closed_manifold());
}

TEST(MeshReport, opposite_triangles_are_a_wall_within_and_both_are_dropped) {
  // Two boxes glued together, each with its own wall there.
  TriangleMesh left = box();
  const double width = bounding_box(left).size().x();
  const TriangleMesh right = translated(left, {width, 0, 0});
  TriangleMesh mesh = merged(left, right);
  const double wall = bounding_box(left).upper.x();
  std::map<std::array<double, 3>, std::uint32_t> at;  // one vertex at a place
  const auto rounded = [](const Vector3& v) {
    return std::array<double, 3>{std::round(v.x() * 1e9), std::round(v.y() * 1e9),
                                 std::round(v.z() * 1e9)};
  };
  std::size_t on_wall = 0;
  for (auto& t : mesh.triangles) {
    bool within = true;
    for (std::uint32_t& v : t) {
      within = within && std::abs(mesh.vertices[v].x() - wall) < 1e-9;
      v = at.try_emplace(rounded(mesh.vertices[v]), v).first->second;
    }
    on_wall += within ? 1 : 0;
  }
  ASSERT_GT(on_wall, 0U);
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.duplicates_dropped, on_wall);
  EXPECT_EQ(report.components, 1U);
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
  EXPECT_NEAR(report.volume, 2 * 6.4e-5, 1e-16);
}

TEST(MeshReport, a_surface_with_both_sides_keeps_one) {
  TriangleMesh mesh = box();
  const auto triangles = mesh.triangles;
  for (const auto& t : triangles) mesh.triangles.push_back({t[0], t[2], t[1]});
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.duplicates_dropped, triangles.size());
  EXPECT_TRUE(report.closed_manifold()) << report.summary();
  EXPECT_NEAR(report.volume, 6.4e-5, 1e-17);
}

TEST(MeshReport, gaps_are_joined_within_the_tolerance_and_said) {
  TriangleMesh mesh = box();
  mesh.vertices.push_back(mesh.vertices[mesh.triangles[0][0]] + Vector3(1e-17, 0, 0));
  mesh.triangles[0][0] = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  TriangleMesh open = mesh;
  EXPECT_FALSE(clean_mesh(open).closed);
  const MeshReport report = clean_mesh(mesh, {.joining = 4e-9});
  EXPECT_TRUE(report.closed_manifold());
  EXPECT_EQ(report.vertices_joined, 1U);
  EXPECT_NE(report.summary().find("1 vertices of open edges joined within 4e-09"),
            std::string::npos)
      << report.summary();
}

TEST(MeshReport, small_holes_are_closed_and_large_ones_named) {
  TriangleMesh mesh = make_shape("box", {{"resolution", 10}});
  const double side = bounding_box(mesh).longest_side();
  const double volume = signed_volume(mesh);
  mesh.triangles.pop_back();  // a triangle with legs of a tenth of the side
  TriangleMesh open = mesh;
  MeshReport report = clean_mesh(open, {.close_holes = 0.099});
  ASSERT_EQ(report.open_holes.size(), 1U);
  EXPECT_NEAR(report.open_holes[0].size, 0.1 * side, 1e-12);
  EXPECT_NEAR(closing_all_holes(report, side).value(), 0.1, 0.0101);
  EXPECT_GE(closing_all_holes(report, side).value() * side, report.open_holes[0].size);
  EXPECT_FALSE(report.closed);
  report = clean_mesh(mesh, {.close_holes = 0.101});
  ASSERT_EQ(report.closed_holes.size(), 1U);
  EXPECT_TRUE(report.open_holes.empty());
  EXPECT_TRUE(report.closed_manifold());
  EXPECT_NEAR(report.volume, volume, 1e-12 * volume);
  EXPECT_NE(report.summary().find(", 1 holes closed"), std::string::npos);
}

TEST(MeshReport, the_rim_of_a_plate_is_no_hole_to_close) {
  TriangleMesh plate;
  plate.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  plate.triangles = {{0, 1, 2}, {0, 2, 3}};
  const MeshReport report = clean_mesh(plate);
  EXPECT_EQ(report.open_holes.size(), 1U);
  EXPECT_FALSE(closing_all_holes(report, 1.0));
  EXPECT_FALSE(closing_all_holes({}, 1.0));
}

TEST(MeshReport, components_are_listed_and_chosen) {
  const TriangleMesh small = translated(scaled(box(), 0.1), {1.0, 0, 0});
  TriangleMesh opened = translated(box(), {2.0, 0, 0});
  opened.triangles.pop_back();
  const TriangleMesh all = merged(merged(small, box()), opened);
  TriangleMesh mesh = all;
  MeshReport report = clean_mesh(mesh);
  ASSERT_EQ(report.parts.size(), 3U);
  EXPECT_EQ(report.parts[0].triangles, box().triangles.size());
  EXPECT_NEAR(report.parts[0].volume, 6.4e-8, 1e-19);
  EXPECT_TRUE(report.parts[1].closed && report.parts[1].kept);
  EXPECT_FALSE(report.parts[2].closed);

  mesh = all;
  report = clean_mesh(mesh, {.keep_largest = true});
  EXPECT_EQ(report.components, 1U);
  EXPECT_NEAR(report.volume, 6.4e-5, 1e-17);
  EXPECT_EQ(report.parts.size(), 3U);

  mesh = all;
  report = clean_mesh(mesh, {.keep = {2, 1}});
  EXPECT_EQ(report.components, 2U);
  EXPECT_TRUE(report.closed_manifold());
  EXPECT_NEAR(report.volume, 6.4e-5 * 1.001, 1e-16);
  EXPECT_NE(report.parts[2].summary().find(", open, not kept"), std::string::npos);

  for (const std::uint32_t wrong : {0U, 4U}) {
    mesh = all;
    EXPECT_THROW(clean_mesh(mesh, {.keep = {wrong}}), InputError);
  }
  mesh = box();
  EXPECT_TRUE(clean_mesh(mesh).parts.empty());
}

TEST(MeshReport, three_sheets_on_an_edge_are_non_manifold) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.non_manifold_edges, 1U);
  EXPECT_EQ(report.boundary_edges, 6U);
}

TEST(MeshReport, a_moebius_strip_is_unchanged_and_reported) {
  TriangleMesh mesh;
  constexpr std::uint32_t kN = 12;
  for (std::uint32_t i = 0; i < kN; ++i) {
    const double a = 2.0 * M_PI * i / kN;
    for (const double side : {-0.3, 0.3}) {
      const double r = 1.0 + side * std::cos(0.5 * a);
      mesh.vertices.emplace_back(r * std::cos(a), r * std::sin(a), side * std::sin(0.5 * a));
    }
  }
  for (std::uint32_t i = 0; i < kN; ++i) {
    std::uint32_t c = 2 * (i + 1), d = c + 1;
    if (i + 1 == kN) c = 1, d = 0;  // the twist
    mesh.triangles.push_back({2 * i, c, d});
    mesh.triangles.push_back({2 * i, d, 2 * i + 1});
  }
  const MeshReport report = clean_mesh(mesh);
  EXPECT_EQ(report.triangles_flipped, 0U);
  EXPECT_GT(report.inconsistent_edges, 0U);
  EXPECT_FALSE(report.closed);
}

}  // namespace
}  // namespace haptic
