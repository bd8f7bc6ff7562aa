#include "rt/worlds/cloth/collision/hierarchy_triangles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "lab/samples/moving_cloths.h"
#include "lab/samples/touch_sheets.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

std::vector<std::uint32_t> near(const NearTriangles& triangles, const ParticleVectors& start,
                                const ParticleVectors& end, const TouchBox& box) {
  std::vector<std::uint32_t> found(5000);
  found.resize(triangles.near(start, end, box, found));
  return found;
}

TEST(HierarchyTriangles, finds_what_a_scan_finds_in_its_order) {
  const ClothMesh mesh = make_grid({40, 40}, 1.0, 1.0);
  const ParticleVectors start = waving(mesh, 0.05, 0.3), end = waving(mesh, 0.05, 1.9, 3.0);
  const ScannedTriangles scan(mesh.triangles);
  HierarchyTriangles tree(mesh.triangles, start);
  std::mt19937 random(3);
  std::size_t hits = 0;
  {
    NoAllocation guard;
    ASSERT_EQ(tree.update(start, end), UpdateResult::kDone);
  }
  for (int k = 0; k < 300; ++k) {
    const Vector3 p = random_point(random, -0.2, 1.2);
    const Vector3 half = 0.05 * random_point(random, 0.0, 1.0);
    const TouchBox box{p - half, p + half};
    for (const auto& [from, to] :
         {std::pair(&start, &end), std::pair(&start, &start), std::pair(&end, &end)}) {
      const auto found = near(tree, *from, *to, box);
      hits += found.size();
      ASSERT_EQ(found, near(scan, *from, *to, box));
    }
  }
  EXPECT_GT(hits, 1000u);
}

TEST(HierarchyTriangles, what_is_not_finite_is_found_as_by_a_scan) {
  const ClothMesh mesh = make_grid({10, 10}, 1.0, 1.0);
  ParticleVectors x = waving(mesh, 0.05, 0.3);
  const ScannedTriangles scan(mesh.triangles);
  HierarchyTriangles tree(mesh.triangles, x);
  const ParticleVectors good = x;
  x[3 * 44] = std::nan("");
  EXPECT_EQ(tree.update(good, x), UpdateResult::kNotFinite);
  const TouchBox box{{0.1, 0.1, -1.0}, {0.2, 0.2, 1.0}};
  const auto found = near(tree, good, x, box);
  EXPECT_EQ(found, near(scan, good, x, box));
  EXPECT_GE(found.size(), 6u);  // those at the particle
  // The next good update ends it.
  EXPECT_EQ(tree.update(good, good), UpdateResult::kDone);
  EXPECT_EQ(near(tree, good, good, box), near(scan, good, good, box));
}

/// A god-object on a cloth that moves in waves, or is still, under a hand that strokes and presses.
class Stroke {
 public:
  Stroke(const ClothMesh& mesh, const NearTriangles& near)
      : god_(mesh.triangles, near, {.radius = 1e-4, .friction = 0.2}) {}

  void place(const ParticleVectors& x) { ASSERT_TRUE(god_.place({0.4, 0.5, 0.3}, x)); }
  void step(int k, const ParticleVectors& start, const ParticleVectors& end) {
    const double t = 0.01 * k;
    const Vector3 device(0.5 + 0.3 * std::sin(3.1 * t), 0.5 + 0.3 * std::cos(2.3 * t),
                         0.12 * std::cos(1.7 * t));
    NoAllocation guard;
    EXPECT_EQ(god_.carry(start, end), TouchResult::kDone);
    EXPECT_NE(god_.move_to(device, end), TouchResult::kNotFinite);
  }
  const GodObject& god() const { return god_; }

 private:
  GodObject god_;
};

class GodObjects : public testing::TestWithParam<bool> {};

TEST_P(GodObjects, have_the_same_bits_on_the_hierarchy_as_on_a_scan) {
  const bool moving = GetParam();
  const ClothMesh mesh = make_grid({40, 40}, 1.0, 1.0);
  const auto shape = [&](int k) { return waving(mesh, 0.05, moving ? 0.05 * k : 0.3); };
  ParticleVectors start = shape(0);
  const ScannedTriangles scan(mesh.triangles);
  HierarchyTriangles tree(mesh.triangles, start);
  Stroke scanned(mesh, scan), searched(mesh, tree);
  scanned.place(start);
  searched.place(start);
  int contacts = 0;
  for (int k = 1; k <= 2000; ++k) {
    const ParticleVectors end = shape(k);
    ASSERT_EQ(tree.update(start, end), UpdateResult::kDone);
    scanned.step(k, start, end);
    searched.step(k, start, end);
    ASSERT_EQ(scanned.god().position(), searched.god().position()) << k;
    const auto a = scanned.god().contacts(), b = searched.god().contacts();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t c = 0; c < a.size(); ++c) {
      ASSERT_EQ(a[c].triangle, b[c].triangle);
      ASSERT_EQ(a[c].share, b[c].share);
    }
    contacts += a.empty() ? 0 : 1;
    start = end;
  }
  EXPECT_GT(contacts, 500);
}

INSTANTIATE_TEST_SUITE_P(StillAndMoving, GodObjects, testing::Values(false, true));

TEST(HierarchyTriangles, a_query_visits_a_few_nodes_of_thousands) {
  const ClothMesh mesh = make_grid({40, 40}, 1.0, 1.0);
  const ParticleVectors x = waving(mesh, 0.05, 0.3);
  HierarchyTriangles tree(mesh.triangles, x);
  std::mt19937 random(3);
  std::size_t visited = 0;
  for (int k = 0; k < 200; ++k) {
    const Vector3 p = at(x, random() % 1600);  // 1 mm about a corner
    visited += tree.visited({p.array() - 5e-4, p.array() + 5e-4});
  }
  // 6 levels of 4 nodes, along one or two branches about a corner: 60 on average, of 4323.
  EXPECT_LT(visited / 200, 100u);
  EXPECT_GT(tree.node_count(), 4000u);
}

}  // namespace
}  // namespace haptic::cloth
