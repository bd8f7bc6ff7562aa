#include "rt/bodies/cloth_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "lab/samples/cloth_samples.h"
#include "rt/bodies/cloth_springs.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::string refusal(const ClothMesh& mesh) {
  try {
    check_cloth_mesh(mesh, "cloth.obj");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ClothMesh, grids_have_the_exact_counts) {
  const struct {
    std::uint32_t nx, ny;
    std::size_t particles, triangles, structural, shear, bend;
  } rows[] = {{10, 10, 100, 162, 180, 162, 160},      {15, 20, 300, 532, 565, 532, 530},
              {20, 20, 400, 722, 760, 722, 720},      {30, 30, 900, 1682, 1740, 1682, 1680},
              {40, 40, 1600, 3042, 3120, 3042, 3040}, {50, 50, 2500, 4802, 4900, 4802, 4800}};
  for (const auto& row : rows) {
    const ClothMesh mesh = make_grid({row.nx, row.ny}, 4.0, 5.0);
    const Springs springs =
        make_springs(mesh, SpringTopology::kThreeKinds, cloth::same_materials(1.0));
    EXPECT_EQ(mesh.vertices.size(), row.particles);
    EXPECT_EQ(mesh.triangles.size(), row.triangles);
    EXPECT_EQ(springs.count(SpringKind::kStructural), row.structural);
    EXPECT_EQ(springs.count(SpringKind::kShear), row.shear);
    EXPECT_EQ(springs.count(SpringKind::kBend), row.bend);
    EXPECT_EQ(springs.size(), row.structural + row.shear + row.bend);
    EXPECT_EQ(refusal(mesh), "");
    // 576 triangles are no square grid (errata): 2 (n - 1)^2 never is.
    EXPECT_NE(mesh.triangles.size(), 576u);
  }
}

TEST(ClothMesh, mass_is_shared_by_the_particles) {
  const std::vector<double> masses = uniform_masses(200.0, 300);
  ASSERT_EQ(masses.size(), 300u);
  for (const double mass : masses) {
    EXPECT_NEAR(mass, 2.0 / 3.0, 1e-15);  // the printed 1.5 is the inverse
  }
  EXPECT_THROW(uniform_masses(0.0, 3), InputError);
  EXPECT_THROW(uniform_masses(std::numeric_limits<double>::infinity(), 3), InputError);
}

TEST(ClothMesh, grid_fills_its_rectangle_and_faces_one_side) {
  const ClothMesh mesh = make_grid({15, 20}, 4.0, 5.0);
  EXPECT_EQ(mesh.vertices.back(), (std::array<double, 3>{4.0, 5.0, 0.0}));
  EXPECT_EQ(mesh.vertices[16], (std::array<double, 3>{4.0 / 14.0, 5.0 / 19.0, 0.0}));
  double area = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const auto &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    const double doubled = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    EXPECT_GT(doubled, 0.0);
    area += 0.5 * doubled;
  }
  EXPECT_NEAR(area, 20.0, 1e-12);
  // Diagonals alternate: of the 14 x 19 quads, half and half.
  std::size_t along_02 = 0;
  for (std::size_t q = 0; q < mesh.quads.size(); ++q) {
    along_02 += mesh.triangles[2 * q][2] == mesh.quads[q][2] ? 1 : 0;
  }
  EXPECT_EQ(along_02, 133u);
}

TEST(ClothMesh, a_grid_without_a_side_is_refused) {
  EXPECT_THROW(make_grid({1, 5}, 1.0, 1.0), InputError);
  EXPECT_THROW(make_grid({5, 0}, 1.0, 1.0), InputError);
  EXPECT_THROW(make_grid({5, 5}, 0.0, 1.0), InputError);
  EXPECT_THROW(make_grid({5, 5}, 1.0, std::numeric_limits<double>::quiet_NaN()), InputError);
  EXPECT_THROW(make_grid({70000, 70000}, 1.0, 1.0), InputError);
}

TEST(ClothMesh, defects_are_refused_in_one_line) {
  const ClothMesh square = make_grid({2, 2}, 1.0, 1.0);  // triangles 0 1 3, 0 3 2
  ASSERT_EQ(square.triangles[0], (std::array<std::uint32_t, 3>{0, 1, 3}));
  ASSERT_EQ(square.triangles[1], (std::array<std::uint32_t, 3>{0, 3, 2}));
  const auto changed = [&](auto change) {
    ClothMesh mesh = square;
    change(mesh);
    return refusal(mesh);
  };
  const auto add_vertex = [](ClothMesh& mesh, double x, double y, double z) {
    mesh.vertices.push_back({x, y, z});
  };
  EXPECT_EQ(changed([](ClothMesh& m) { m.triangles.clear(); }),
            "cloth.obj: no triangles, expected at least 1");
  EXPECT_EQ(
      changed([](ClothMesh& m) { m.vertices[2][1] = std::numeric_limits<double>::infinity(); }),
      "cloth.obj: vertex 2: a coordinate that is not finite, expected numbers [m]");
  EXPECT_EQ(changed([](ClothMesh& m) { m.triangles[1][2] = 9; }),
            "cloth.obj: triangle 1: vertex 9, expected a number below 4");
  EXPECT_EQ(changed([](ClothMesh& m) { m.triangles[1][2] = 3; }),
            "cloth.obj: triangle 1: vertices 0, 3, 3 on a line, expected a triangle with an area");
  EXPECT_EQ(changed([](ClothMesh& m) {
              m.vertices[3] = {2.0, 0.0, 0.0};
            }),
            "cloth.obj: triangle 0: vertices 0, 1, 3 on a line, expected a triangle with an area");
  EXPECT_EQ(changed([](ClothMesh& m) {
              m.triangles.push_back({3, 0, 1});
            }),
            "cloth.obj: triangle 2: the vertices of triangle 0, expected each triangle once");
  EXPECT_EQ(changed([](ClothMesh& m) { std::swap(m.triangles[1][1], m.triangles[1][2]); }),
            "cloth.obj: triangle 1: edge 3-0 in the direction in which triangle 0 has it, expected "
            "at most two triangles at an edge, both facing the same side");
  EXPECT_EQ(changed([&](ClothMesh& m) {
              add_vertex(m, 0.5, 0.5, 1.0);
              m.triangles.push_back({0, 3, 4});
            }),
            "cloth.obj: triangle 2: edge 0-3 in the direction in which triangle 1 has it, expected "
            "at most two triangles at an edge, both facing the same side");
  EXPECT_EQ(changed([&](ClothMesh& m) { add_vertex(m, 5.0, 0.0, 0.0); }),
            "cloth.obj: vertex 4: no triangle has it, expected used vertices only");
  EXPECT_EQ(changed([&](ClothMesh& m) {
              add_vertex(m, 5.0, 0.0, 0.0);
              add_vertex(m, 5.0, 1.0, 0.0);
              m.triangles.push_back({1, 4, 5});
            }),
            "cloth.obj: vertex 1: triangles that share only this vertex, expected one fan of "
            "triangles at a vertex");
  EXPECT_EQ(changed([](ClothMesh& m) {
              m.quads[0] = {0, 1, 2, 3};
            }),
            "cloth.obj: quad 0: corners 0, 1, 2, 3, expected two of the triangles, joined at a "
            "diagonal");
}

TEST(ClothMesh, a_quad_of_one_triangle_is_refused) {
  ClothMesh mesh = make_grid({3, 2}, 2.0, 1.0);
  ASSERT_EQ(mesh.quads[0], (std::array<std::uint32_t, 4>{0, 1, 4, 3}));
  mesh.quads[0] = {0, 1, 4, 2};
  EXPECT_NE(refusal(mesh).find("quad 0: corners 0, 1, 4, 2"), std::string::npos);
  mesh.quads[0] = {1, 4, 2, 0};  // the same with the other diagonal
  EXPECT_NE(refusal(mesh).find("quad 0: corners 1, 4, 2, 0"), std::string::npos);
}

/// A closed surface has a closed fan at each vertex; two that touch at a vertex have two there.
TEST(ClothMesh, closed_surfaces_are_accepted_and_touching_ones_are_not) {
  ClothMesh tetrahedra;
  tetrahedra.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tetrahedra.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  EXPECT_EQ(refusal(tetrahedra), "");
  EXPECT_EQ(mesh_edges(tetrahedra).size(), 6u);
  for (const auto& p : {std::array{-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}}) {
    tetrahedra.vertices.push_back(p);
  }
  for (const auto& t : {std::array<std::uint32_t, 3>{0, 5, 4}, {0, 4, 6}, {4, 5, 6}, {5, 0, 6}}) {
    tetrahedra.triangles.push_back(t);
  }
  EXPECT_NE(refusal(tetrahedra).find("vertex 0: triangles that share only this vertex"),
            std::string::npos);
}

}  // namespace
}  // namespace haptic
