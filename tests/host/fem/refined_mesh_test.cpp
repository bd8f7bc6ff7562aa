#include "host/fem/refined_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/host/fem/bodies.h"

namespace haptic {
namespace {

TEST(RefinedMesh, elements_are_cut_into_eight_of_the_same_body) {
  for (const bool cubes : {true, false}) {
    const SolidMesh mesh = cubes ? make_box_mesh(3, 2, 1, 0.1, kRubber)
                                 : make_tetrahedral_box_mesh(3, 2, 1, 0.1, kRubber);
    const RefinedMesh half = refined(mesh, {});
    EXPECT_EQ(half.mesh.element_count(), 8 * mesh.element_count());
    EXPECT_NEAR(half.mesh.volume(), mesh.volume(), 1e-15);
    // Vertices are shared: those of a grid of half the spacing.
    EXPECT_EQ(half.mesh.vertex_count(), 7 * 5 * 3);
    for (int e = 0; e < half.mesh.element_count(); ++e) {
      EXPECT_NEAR(half.mesh.element_volume(e), mesh.element_volume(0) / 8.0, 1e-15);
    }
  }
}

TEST(RefinedMesh, what_lies_between_fixed_vertices_is_fixed) {
  for (const bool cubes : {true, false}) {
    const SolidMesh mesh = cubes ? make_box_mesh(2, 2, 2, 0.1, kRubber)
                                 : make_tetrahedral_box_mesh(2, 2, 2, 0.1, kRubber);
    std::vector<std::uint32_t> fixed;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      if (mesh.vertex(v).x() < 0.05) fixed.push_back(static_cast<std::uint32_t>(v));
    }
    const RefinedMesh half = refined(mesh, fixed);
    EXPECT_EQ(half.fixed.size(), 25U);
    for (const std::uint32_t v : half.fixed) {
      EXPECT_EQ(half.mesh.vertex(static_cast<int>(v)).x(), 0.0);
    }
  }
}

TEST(RefinedMesh, groups_and_strains_stay_with_their_element) {
  const SolidMesh box = make_box_mesh(2, 1, 1, 0.1, kRubber);
  const SolidMesh mesh(box.vertices(), box.elements(),
                       MaterialGroups{{kRubber, Material{2e6, 0.2, 900.0}}, {0, 1}},
                       {StrainSampling::kAssumed, {}, {}});
  const RefinedMesh half = refined(mesh, {});
  EXPECT_EQ(half.mesh.cells().sampling, StrainSampling::kAssumed);
  for (int e = 0; e < 16; ++e) EXPECT_EQ(half.mesh.group(e), e / 8);
}

}  // namespace
}  // namespace haptic
