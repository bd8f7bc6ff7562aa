#include "lab/cloth/self_collision.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "lab/cloth/spatial_hash.h"
#include "lab/cloth/sphere_volume.h"
#include "lab/samples/moving_cloths.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

/// A cloth with the structures that find its pairs.
struct SelfColliding {
  SelfColliding(const ClothMesh& mesh, std::uint32_t branching)
      : tree(mesh.triangles, cloth::positions(mesh), {.branching = branching, .inflation = 0.0}),
        self(tree.topology()),
        found(200000) {}

  void move(const cloth::ParticleVectors& x) {
    NoAllocation guard;
    ASSERT_EQ(tree.refit_all(x), cloth::UpdateResult::kDone);
    ASSERT_EQ(self.update(x), cloth::UpdateResult::kDone);
    found.clear();
    visited = self.find(tree, found);
    ASSERT_FALSE(found.overflowed());
  }

  cloth::BoxHierarchy tree;
  SelfCollision self;
  cloth::TrianglePairList found;
  std::size_t visited = 0;
};

/// Bent about the line u = 1/2 by `angle` [rad], over a strip of width 0.2.
cloth::ParticleVectors bent(const ClothMesh& flat, double angle) {
  cloth::ParticleVectors x = cloth::positions(flat);
  for (std::size_t i = 0; i < flat.vertices.size(); ++i) {
    const double u = x[3 * i] - 0.4, radius = 0.2 / angle;
    const double turned = angle * std::clamp(u / 0.2, 0.0, 1.0);
    const double straight = u < 0.0 ? u : std::max(0.0, u - 0.2);
    x[3 * i] = radius * std::sin(turned) + straight * std::cos(turned);
    x[3 * i + 2] = radius * (1.0 - std::cos(turned)) + straight * std::sin(turned);
  }
  return x;
}

TEST(SelfCollision, a_flat_region_is_skipped_and_one_folded_beyond_pi_is_not) {
  const ClothMesh mesh = make_grid({21, 21}, 1.0, 1.0);
  for (const std::uint32_t branching : {2u, 4u, 8u}) {
    SelfColliding cloth(mesh, branching);
    cloth.move(cloth::positions(mesh));
    EXPECT_TRUE(cloth.self.is_skipped(0));
    EXPECT_TRUE(cloth.self.is_skipped(100));
    EXPECT_EQ(cloth.found.size(), 0u);
    EXPECT_EQ(cloth.visited, 0u);
    // The strip's normals turn by the angle in all: the cone's apex is the angle, less half a
    // facet at each end. Below pi the border is simple too.
    cloth.move(bent(mesh, 3.0));
    EXPECT_TRUE(cloth.self.is_skipped(0));
    cloth.move(bent(mesh, 3.3));
    EXPECT_FALSE(cloth.self.is_skipped(0));
    EXPECT_TRUE(cloth.self.is_skipped(1));  // each half alone is below pi
    cloth.move(bent(mesh, 5.0));            // and through itself
    EXPECT_FALSE(cloth.self.is_skipped(0));
    EXPECT_GT(cloth.found.size(), 0u);
  }
}

/// A ramp of 1.25 turns that falls and rises by little: all normals are nearly upright, yet it
/// passes through itself where the turns meet.
cloth::ParticleVectors ramp(const ClothMesh& flat) {
  cloth::ParticleVectors x = cloth::positions(flat);
  for (std::size_t i = 0; i < flat.vertices.size(); ++i) {
    const double turn = 2.5 * std::numbers::pi * x[3 * i], radius = 1.5 - 0.5 * x[3 * i + 1];
    cloth::at(x, i) = Vector3(radius * std::cos(turn), radius * std::sin(turn),
                              0.05 * std::sin(0.5 * turn - 0.125 * std::numbers::pi));
  }
  return x;
}

TEST(SelfCollision, a_ramp_with_upright_normals_is_not_skipped_since_its_border_crosses) {
  const ClothMesh mesh = make_grid({61, 5}, 1.0, 1.0);
  const cloth::ParticleVectors x = ramp(mesh);
  const auto expected = cloth::self_intersections(mesh, x);
  ASSERT_GT(expected.size(), 3u);
  SelfColliding cloth(mesh, 4);
  NormalCones cones(cloth.tree.topology());
  cones.update(x);
  EXPECT_LT(cones.cone(0).half_angle, 0.2);  // the cone alone would skip it
  cloth.move(x);
  EXPECT_FALSE(cloth.self.is_skipped(0));
  const auto pairs = cloth::sorted(cloth.found.items());
  EXPECT_TRUE(std::includes(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
}

/// A cloth in random folds, up to `height` [m] and as much along the cloth.
cloth::ParticleVectors folded(const ClothMesh& flat, double height, std::mt19937& random) {
  cloth::ParticleVectors x = cloth::positions(flat);
  const cloth::ParticleVectors rest = x;
  for (int wave = 0; wave < 4; ++wave) {
    const Vector3 amount = cloth::random_point(random, -height, height);
    const Vector3 count = cloth::random_point(random, -8.0, 8.0);
    for (std::size_t i = 0; i < flat.vertices.size(); ++i) {
      cloth::at(x, i) +=
          amount * std::sin(count.x() * rest[3 * i] + count.y() * rest[3 * i + 1] + count.z());
    }
  }
  return x;
}

TEST(SelfCollision, no_skip_is_false_over_random_folds) {
  std::mt19937 random(37);
  const ClothMesh mesh = make_grid({16, 16}, 1.0, 1.0);
  SelfColliding two(mesh, 2), four(mesh, 4), eight(mesh, 8);
  SelfColliding* const cloths[] = {&two, &four, &eight};
  std::size_t intersections = 0, skipped_roots = 0, skipped_pairs = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const cloth::ParticleVectors x = folded(mesh, 0.001 * trial, random);
    const auto expected = cloth::self_intersections(mesh, x);
    intersections += expected.size();
    SelfColliding& cloth = *cloths[trial % 3];
    cloth.move(x);
    skipped_roots += cloth.self.is_skipped(0) ? 1 : 0;
    // Every intersection is among the pairs, and no pair is twice, of neighbours or apart.
    const auto pairs = cloth::sorted(cloth.found.items());
    EXPECT_TRUE(std::includes(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
    EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& [s, t] : pairs) {
      EXPECT_LT(s, t);
      EXPECT_FALSE(cloth::share_corner(mesh.triangles[s], mesh.triangles[t]));
      EXPECT_TRUE(overlap(cloth::volume_of<cloth::BoxVolume>(mesh.triangles[s], x),
                          cloth::volume_of<cloth::BoxVolume>(mesh.triangles[t], x)));
    }
    // What is skipped has no intersection within it.
    const cloth::HierarchyTopology& nodes = cloth.tree.topology();
    std::vector<std::uint32_t> leaf_of(mesh.triangles.size());
    for (const std::uint32_t leaf : nodes.leaves()) leaf_of[nodes.triangle(leaf)] = leaf;
    for (const auto& [s, t] : expected) {
      std::set<std::uint32_t> above;
      for (std::uint32_t n = leaf_of[s]; n != cloth::HierarchyTopology::kNone;
           n = nodes.parent(n)) {
        above.insert(n);
      }
      std::uint32_t common = leaf_of[t];
      while (!above.contains(common)) common = nodes.parent(common);
      EXPECT_FALSE(cloth.self.is_skipped(common));
      ++skipped_pairs;
    }
  }
  EXPECT_GT(intersections, 1000u);
  EXPECT_EQ(skipped_pairs, intersections);
  EXPECT_GT(skipped_roots, 30u);
  EXPECT_LT(skipped_roots, 250u);
}

TEST(SelfCollision, the_hash_and_both_volumes_have_every_intersection_too) {
  std::mt19937 random(41);
  const ClothMesh mesh = make_grid({16, 16}, 1.0, 1.0);
  SelfColliding cloth(mesh, 4);
  SphereHierarchy spheres(mesh.triangles, cloth::positions(mesh), {});
  SpatialHash hash(mesh.triangles, cloth::positions(mesh));
  cloth::TrianglePairList found(200000);
  cloth::TriangleList near(mesh.triangles.size());
  std::size_t intersections = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const cloth::ParticleVectors x = folded(mesh, 0.2, random);
    const auto expected = cloth::self_intersections(mesh, x);
    intersections += expected.size();
    cloth.move(x);
    ASSERT_EQ(spheres.refit(x), cloth::UpdateResult::kDone);
    found.clear();
    (void)cloth.self.find(spheres, found);
    const auto pairs = cloth::sorted(found.items());
    EXPECT_TRUE(std::includes(pairs.begin(), pairs.end(), expected.begin(), expected.end()));
    // By the hash: what is near each triangle's box.
    ASSERT_EQ(hash.update(x), cloth::UpdateResult::kDone);
    std::vector<cloth::TrianglePair> by_hash;
    for (std::uint32_t s = 0; s < mesh.triangles.size(); ++s) {
      near.clear();
      hash.find(hash.box(s), near);
      for (const std::uint32_t t : near.items()) {
        if (s < t && !cloth::share_corner(mesh.triangles[s], mesh.triangles[t]))
          by_hash.push_back({s, t});
      }
    }
    std::sort(by_hash.begin(), by_hash.end());
    EXPECT_TRUE(std::includes(by_hash.begin(), by_hash.end(), expected.begin(), expected.end()));
    // Those of the tree are the same but for skipped parts.
    const auto of_boxes = cloth::sorted(cloth.found.items());
    EXPECT_TRUE(std::includes(by_hash.begin(), by_hash.end(), of_boxes.begin(), of_boxes.end()));
  }
  EXPECT_GT(intersections, 500u);
}

TEST(SelfCollision, positions_that_are_not_finite_skip_nothing_and_a_full_list_says_so) {
  const ClothMesh mesh = make_grid({12, 12}, 1.0, 1.0);
  SelfColliding cloth(mesh, 4);
  cloth.move(bent(mesh, 5.0));
  ASSERT_GT(cloth.found.size(), 5u);
  cloth::TrianglePairList few(5);
  EXPECT_LT(cloth.self.find(cloth.tree, few), cloth.visited);
  EXPECT_TRUE(few.overflowed());
  EXPECT_TRUE(std::equal(few.items().begin(), few.items().end(), cloth.found.items().begin()));
  cloth::ParticleVectors x = cloth::positions(mesh);
  cloth.move(x);
  ASSERT_TRUE(cloth.self.is_skipped(0));
  x[100] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cloth.self.update(x), cloth::UpdateResult::kNotFinite);
  EXPECT_FALSE(cloth.self.is_skipped(0));
}

}  // namespace
}  // namespace haptic::lab
