#include "rt/bodies/cloth_springs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"

namespace haptic {
namespace {

TEST(Springs, of_a_grid_join_the_particles_that_their_kind_names) {
  const ClothMesh mesh = make_grid({4, 3}, 0.3, 0.4);
  const Springs springs =
      make_springs(mesh, SpringTopology::kThreeKinds, cloth::same_materials(1.0));
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const std::uint32_t a = springs.first[s], b = springs.second[s];
    ASSERT_LT(a, b);
    EXPECT_TRUE(pairs.emplace(a, b).second);
    const int di = std::abs(int(a % 4) - int(b % 4)), dj = std::abs(int(a / 4) - int(b / 4));
    switch (springs.kind[s]) {
      case SpringKind::kStructural:
        EXPECT_EQ(di + dj, 1);
        break;
      case SpringKind::kShear:
        EXPECT_TRUE(di == 1 && dj == 1);
        break;
      default:
        EXPECT_TRUE((di == 2 && dj == 0) || (di == 0 && dj == 2));
    }
    EXPECT_NEAR(springs.rest[s], std::hypot(0.1 * di, 0.2 * dj), 1e-15);
    if (s > 0) {
      EXPECT_GE(springs.kind[s], springs.kind[s - 1]);
    }
  }
}

TEST(Springs, of_choi_and_ko_are_sequential_and_interlaced) {
  const ClothMesh mesh = make_grid({10, 7}, 0.9, 0.6);
  const Springs springs = make_springs(mesh, SpringTopology::kChoiKo, cloth::same_materials(1.0));
  const std::size_t nx = 10, ny = 7;
  EXPECT_EQ(springs.count(SpringKind::kSequential),
            nx * (ny - 1) + ny * (nx - 1) + 2 * (nx - 1) * (ny - 1));
  EXPECT_EQ(springs.count(SpringKind::kInterlaced),
            nx * (ny - 2) + ny * (nx - 2) + 2 * (nx - 2) * (ny - 2));
  EXPECT_EQ(springs.size(),
            springs.count(SpringKind::kSequential) + springs.count(SpringKind::kInterlaced));
}

/// The grid as a mesh that does not know of its rows: the same structural and shear springs.
TEST(Springs, of_a_mesh_are_structural_on_edges_shear_in_quads_and_bend_across_edges) {
  ClothMesh mesh = make_grid({6, 5}, 0.5, 0.4);
  const Springs of_grid =
      make_springs(mesh, SpringTopology::kThreeKinds, cloth::same_materials(1.0));
  mesh.grid.reset();
  const Springs springs =
      make_springs(mesh, SpringTopology::kThreeKinds, cloth::same_materials(1.0));
  EXPECT_EQ(springs.count(SpringKind::kStructural), of_grid.count(SpringKind::kStructural));
  EXPECT_EQ(springs.count(SpringKind::kShear), of_grid.count(SpringKind::kShear));
  EXPECT_GT(springs.count(SpringKind::kBend), 0u);
  // Without quads every edge is structural, and every inner edge has a spring across it.
  mesh.quads.clear();
  const Springs plain = make_springs(mesh, SpringTopology::kThreeKinds, cloth::same_materials(1.0));
  const std::vector<MeshEdge> edges = mesh_edges(mesh);
  std::size_t inner = 0;
  for (const MeshEdge& edge : edges) inner += edge.opposite[1] != MeshEdge::kNone ? 1 : 0;
  EXPECT_EQ(edges.size(), of_grid.count(SpringKind::kStructural) + 20);  // and 20 diagonals
  EXPECT_EQ(plain.count(SpringKind::kStructural), edges.size());
  EXPECT_EQ(plain.count(SpringKind::kShear), 0u);
  EXPECT_LE(plain.count(SpringKind::kBend), inner);
  EXPECT_GE(plain.count(SpringKind::kBend), inner / 2);
  const Springs false_springs =
      make_springs(mesh, SpringTopology::kEdges, cloth::same_materials(1.0));
  EXPECT_EQ(false_springs.size(), edges.size());
  for (const double stiffness : false_springs.stiffness) EXPECT_EQ(stiffness, 0.0);
}

TEST(Springs, of_two_triangles_are_six) {
  ClothMesh mesh;
  mesh.vertices = {{0, 0, 0.25}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.75}};
  mesh.triangles = {{0, 1, 2}, {1, 3, 2}};
  const Springs springs =
      make_springs(mesh, SpringTopology::kThreeKinds, cloth::same_materials(1.0));
  ASSERT_EQ(springs.size(), 6u);
  EXPECT_EQ(springs.kind[5], SpringKind::kBend);
  EXPECT_EQ(springs.first[5], 0u);
  EXPECT_EQ(springs.second[5], 3u);
  EXPECT_NEAR(springs.rest[5], 1.5, 1e-15);
}

TEST(Springs, constants_out_of_range_are_refused_by_name) {
  const ClothMesh mesh = make_grid({2, 2}, 1.0, 1.0);
  SpringMaterials materials = cloth::same_materials(1.0);
  materials[1].damping = -2.0;
  try {
    make_springs(mesh, SpringTopology::kThreeKinds, materials);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "shear damping: -2 kg/s, expected a number >= 0 [kg/s]");
  }
  materials[1].damping = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(make_springs(mesh, SpringTopology::kThreeKinds, materials), InputError);
  ClothMesh folded = mesh;
  folded.grid.reset();
  folded.vertices[3] = folded.vertices[0];
  EXPECT_THROW(make_springs(folded, SpringTopology::kThreeKinds, cloth::same_materials(1.0)),
               InputError);
}

}  // namespace
}  // namespace haptic
