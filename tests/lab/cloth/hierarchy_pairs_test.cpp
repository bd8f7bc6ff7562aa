#include "lab/cloth/hierarchy_pairs.h"

#include <gtest/gtest.h>

#include "lab/cloth/sphere_volume.h"
#include "lab/samples/moving_cloths.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

template <class Volume>
class HierarchyPairs : public testing::Test {};
using Volumes = testing::Types<cloth::BoxVolume, SphereVolume>;
TYPED_TEST_SUITE(HierarchyPairs, Volumes);

TYPED_TEST(HierarchyPairs, a_leaf_that_is_larger_than_an_internal_node_is_not_lost) {
  using Tree = cloth::VolumeHierarchy<TypeParam>;
  const std::vector<cloth::TriangleCorners> one = {{0, 1, 2}};
  const cloth::ParticleVectors large = {-10, -10, 0.001, 20, -10, 0.001, -10, 20, 0.001};
  const ClothMesh mesh = make_grid({8, 8}, 1.0, 1.0);
  const cloth::ParticleVectors x = cloth::waving(mesh, 0.05, 0.0);
  const Tree triangle(one, large, {}), cloth(mesh.triangles, x, {});
  ASSERT_GT(extent(triangle.volume(0)), extent(cloth.volume(0)));
  cloth::TrianglePairList found(mesh.triangles.size());
  const auto list =
      cloth::brute_force<TypeParam>(mesh, x, cloth::volume_of<TypeParam>(one[0], large));
  ASSERT_GT(list.size(), 20u);
  (void)find_pairs(triangle, cloth, found);
  EXPECT_EQ(found.size(), list.size());
  found.clear();
  (void)find_pairs(cloth, triangle, found);  // and the other way round
  EXPECT_EQ(found.size(), list.size());
  const auto pairs = cloth::sorted(found.items());
  for (std::size_t k = 0; k < list.size(); ++k)
    EXPECT_EQ(pairs[k], (cloth::TrianglePair{list[k], 0}));
}

TYPED_TEST(HierarchyPairs, candidates_are_the_overlapping_leaves_and_hold_every_intersection) {
  using Tree = cloth::VolumeHierarchy<TypeParam>;
  const ClothMesh mesh = make_grid({14, 14}, 1.0, 1.0), other = make_grid({9, 11}, 0.7, 0.8);
  std::mt19937 random(23);
  cloth::TrianglePairList found(mesh.triangles.size() * other.triangles.size());
  std::size_t intersections = 0, visited = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const cloth::ParticleVectors x = cloth::waving(mesh, 0.1, 0.4 * trial);
    cloth::ParticleVectors y = cloth::waving(other, 0.2, 1.0 + trial, trial % 2 == 0 ? 5.0 : 0.0);
    const Vector3 shift = cloth::random_point(random, -0.1, 0.1);
    for (std::size_t i = 0; i < other.vertices.size(); ++i) cloth::at(y, i) += shift;
    const std::uint32_t branching = 2u << (trial % 3), other_branching = 2u << (trial / 3 % 3);
    const Tree a(mesh.triangles, x, {.branching = branching, .inflation = 0.0});
    const Tree b(other.triangles, y, {.branching = other_branching, .inflation = 0.0});
    found.clear();
    {
      NoAllocation guard;
      visited += find_pairs(a, b, found);
    }
    const auto pairs = cloth::sorted(found.items());
    std::vector<cloth::TrianglePair> expected;
    for (std::uint32_t s = 0; s < mesh.triangles.size(); ++s) {
      const TypeParam volume = cloth::volume_of<TypeParam>(mesh.triangles[s], x);
      for (const std::uint32_t t : cloth::brute_force<TypeParam>(other, y, volume)) {
        expected.push_back({s, t});
      }
      for (std::uint32_t t = 0; t < other.triangles.size(); ++t) {
        // Edges of either that meet the other.
        bool hit = false;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto &p = mesh.triangles[s], &q = other.triangles[t];
          hit = hit || cloth::meets(cloth::at(x, p[k]), cloth::at(x, p[(k + 1) % 3]), q, y) ||
                cloth::meets(cloth::at(y, q[k]), cloth::at(y, q[(k + 1) % 3]), p, x);
        }
        if (!hit) continue;
        ++intersections;
        EXPECT_TRUE(std::binary_search(pairs.begin(), pairs.end(), cloth::TrianglePair{s, t}));
      }
    }
    EXPECT_EQ(pairs, expected);
  }
  EXPECT_GT(intersections, 100u);
  EXPECT_LT(visited, 12u * mesh.triangles.size() * other.triangles.size() / 2);
}

TYPED_TEST(HierarchyPairs, a_full_list_ends_the_search) {
  const ClothMesh mesh = make_grid({6, 6}, 1.0, 1.0);
  const cloth::VolumeHierarchy<TypeParam> tree(mesh.triangles, cloth::positions(mesh), {});
  cloth::TrianglePairList all(2500), few(3);
  const std::size_t visited_all = find_pairs(tree, tree, all);
  EXPECT_FALSE(all.overflowed());
  EXPECT_LT(find_pairs(tree, tree, few), visited_all);
  EXPECT_TRUE(few.overflowed());
  EXPECT_EQ(few.size(), 3u);
}

TEST(Extent, is_the_longest_side_or_the_diameter) {
  EXPECT_EQ(extent(cloth::BoxVolume{{0, 0, 0}, {1, 3, 0}}), 3.0);
  EXPECT_EQ(extent(SphereVolume{{0, 0, 0}, 2.0}), 4.0);
}

}  // namespace
}  // namespace haptic::lab
