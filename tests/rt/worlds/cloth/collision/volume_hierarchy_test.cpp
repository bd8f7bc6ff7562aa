#include "rt/worlds/cloth/collision/volume_hierarchy.h"

#include <gtest/gtest.h>

#include <limits>

#include "lab/cloth/sphere_volume.h"
#include "lab/samples/moving_cloths.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

bool equal(const BoxVolume& a, const BoxVolume& b) {
  return a.lower == b.lower && a.upper == b.upper;
}
bool equal(const lab::SphereVolume& a, const lab::SphereVolume& b) {
  return a.centre == b.centre && a.radius == b.radius;
}

template <class Volume>
class VolumeHierarchies : public testing::Test {};
using Volumes = testing::Types<BoxVolume, lab::SphereVolume>;
TYPED_TEST_SUITE(VolumeHierarchies, Volumes);

TYPED_TEST(VolumeHierarchies, a_refit_updates_dirty_leaves_and_their_ancestors_once_each) {
  using Tree = VolumeHierarchy<TypeParam>;
  std::mt19937 random(11);
  for (const std::uint32_t branching : {2u, 4u, 8u}) {
    for (const std::uint32_t side : {2u, 7u, 20u}) {
      const ClothMesh mesh = make_grid({side, side}, 1.0, 1.0);
      ParticleVectors x = positions(mesh);
      Tree tree(mesh.triangles, x, {.branching = branching, .inflation = 0.0});
      const HierarchyTopology& nodes = tree.topology();
      for (int trial = 0; trial < 50; ++trial) {
        const std::size_t moved = 1 + random() % mesh.vertices.size();
        for (std::size_t k = 0; k < moved; ++k) {
          at(x, random() % mesh.vertices.size()) += random_point(random, -0.1, 0.1);
        }
        std::set<std::uint32_t> expected;
        for (const std::uint32_t leaf : nodes.leaves()) {
          bool inside = true;
          for (const std::uint32_t i : mesh.triangles[nodes.triangle(leaf)]) {
            inside = inside && contains(tree.volume(leaf), at(x, i));
          }
          if (inside) continue;
          for (std::uint32_t n = leaf; n != HierarchyTopology::kNone; n = nodes.parent(n)) {
            expected.insert(n);
          }
        }
        {
          NoAllocation guard;
          ASSERT_EQ(tree.refit(x), UpdateResult::kDone);
        }
        const auto updated = tree.updated();
        ASSERT_EQ(updated.size(), expected.size());  // so none twice
        EXPECT_TRUE(std::equal(updated.begin(), updated.end(), expected.rbegin()));
        for (std::uint32_t node = nodes.size(); node-- > 0;) {
          if (nodes.is_leaf(node)) continue;
          TypeParam volume = tree.volume(nodes.first_child(node));
          for (std::uint32_t k = 1; k < nodes.child_count(node); ++k) {
            volume = merged(volume, tree.volume(nodes.first_child(node) + k));
          }
          EXPECT_TRUE(equal(volume, tree.volume(node)));
        }
      }
    }
  }
}

TYPED_TEST(VolumeHierarchies, a_refit_of_leaves_that_all_moved_is_a_rebuild) {
  using Tree = VolumeHierarchy<TypeParam>;
  const ClothMesh mesh = make_grid({20, 20}, 1.0, 1.0);
  const ParticleVectors rest = positions(mesh);
  const typename Tree::Settings settings{.branching = 4, .inflation = 0.01};
  Tree tree(mesh.triangles, rest, settings);
  ParticleVectors x = waving(mesh, 0.1, 1.0);
  for (double& value : x) value += 3.0;  // away from every leaf
  ASSERT_EQ(tree.refit(x), UpdateResult::kDone);
  EXPECT_EQ(tree.updated().size(), tree.topology().size());
  Tree fresh(mesh.triangles, rest, settings);
  ASSERT_EQ(fresh.refit_all(x), UpdateResult::kDone);
  for (std::uint32_t n = 0; n < tree.topology().size(); ++n) {
    EXPECT_TRUE(equal(tree.volume(n), fresh.volume(n)));
  }
}

TYPED_TEST(VolumeHierarchies, the_array_of_leaves_finds_what_a_descent_finds_with_less_work) {
  // Times are not asserted. The array looks at n leaves; a descent passes every node on its way.
  const ClothMesh mesh = make_grid({30, 30}, 1.0, 1.0);
  for (const std::uint32_t branching : {2u, 4u}) {
    VolumeHierarchy<TypeParam> tree(mesh.triangles, positions(mesh),
                                    {.branching = branching, .inflation = 0.05});
    const HierarchyTopology& nodes = tree.topology();
    const ParticleVectors x = waving(mesh, 0.1, 0.3);
    std::set<std::uint32_t> dirty;
    std::size_t looked_at = 0;
    std::vector<std::uint32_t> stack = {0};
    while (!stack.empty()) {
      const std::uint32_t node = stack.back();
      stack.pop_back();
      ++looked_at;
      for (std::uint32_t k = 0; k < nodes.child_count(node); ++k) {
        stack.push_back(nodes.first_child(node) + k);
      }
      if (!nodes.is_leaf(node)) continue;
      for (const std::uint32_t i : mesh.triangles[nodes.triangle(node)]) {
        if (!contains(tree.volume(node), at(x, i))) dirty.insert(node);
      }
    }
    ASSERT_EQ(tree.refit(x), UpdateResult::kDone);
    std::set<std::uint32_t> updated;
    for (const std::uint32_t node : tree.updated()) {
      if (nodes.is_leaf(node)) updated.insert(node);
    }
    EXPECT_EQ(updated, dirty);
    EXPECT_GT(dirty.size(), 100u);
    EXPECT_LT(dirty.size(), nodes.leaves().size());
    EXPECT_EQ(looked_at, nodes.size());
    EXPECT_GT(looked_at, 1.4 * static_cast<double>(nodes.leaves().size()));
  }
}

TYPED_TEST(VolumeHierarchies, an_inflated_leaf_bears_motion_within_its_margin) {
  using Tree = VolumeHierarchy<TypeParam>;
  const ClothMesh mesh = make_grid({12, 12}, 1.0, 1.0);
  ParticleVectors x = positions(mesh);
  Tree tree(mesh.triangles, x, {.branching = 4, .inflation = 0.02});
  for (double& value : x) value += 0.011;  // 0.019 m along the diagonal
  ASSERT_EQ(tree.refit(x), UpdateResult::kDone);
  EXPECT_TRUE(tree.updated().empty());
  for (double& value : x) value += 0.02;
  ASSERT_EQ(tree.refit(x), UpdateResult::kDone);
  EXPECT_EQ(tree.updated().size(), tree.topology().size());
}

TYPED_TEST(VolumeHierarchies, positions_that_are_not_finite_change_nothing) {
  using Tree = VolumeHierarchy<TypeParam>;
  const ClothMesh mesh = make_grid({6, 6}, 1.0, 1.0);
  const ParticleVectors rest = positions(mesh);
  Tree tree(mesh.triangles, rest, {});
  const Tree before = tree;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, 1e200}) {
    ParticleVectors x = waving(mesh, 0.2, 0.5);
    x[3 * 20 + 1] = bad;
    EXPECT_EQ(tree.refit(x), UpdateResult::kNotFinite);
    EXPECT_EQ(tree.refit_all(x), UpdateResult::kNotFinite);
    for (std::uint32_t n = 0; n < tree.topology().size(); ++n) {
      EXPECT_TRUE(equal(tree.volume(n), before.volume(n)));
    }
  }
  // And a refit after it handles nothing that the failed one marked.
  ASSERT_EQ(tree.refit(rest), UpdateResult::kDone);
  EXPECT_TRUE(tree.updated().empty());
}

TYPED_TEST(VolumeHierarchies, queries_agree_with_each_triangle_by_itself) {
  using Tree = VolumeHierarchy<TypeParam>;
  std::mt19937 random(17);
  const ClothMesh mesh = make_grid({24, 24}, 1.0, 1.0);
  const ParticleVectors rest = positions(mesh);
  TriangleList found(mesh.triangles.size());
  for (const std::uint32_t branching : {2u, 4u, 8u}) {
    Tree tree(mesh.triangles, rest, {.branching = branching, .inflation = 0.0});
    std::size_t hits = 0, visited = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const ParticleVectors x = waving(mesh, 0.15, 0.1 * trial, trial % 3 == 0 ? 4.0 : 0.0);
      ASSERT_EQ(tree.refit_all(x), UpdateResult::kDone);
      const lab::SweptPoint stroke{random_point(random, -0.3, 1.1), random_point(random, -0.3, 1.1),
                                   trial % 2 == 0 ? 0.0 : 0.02};
      const BoxVolume box{stroke.from, stroke.from + Vector3::Constant(0.1)};
      const lab::SweptPoint point{stroke.from, stroke.from, 0.03};
      const auto agrees = [&](const auto& shape) {
        found.clear();
        {
          NoAllocation guard;
          visited += tree.find(shape, found);
        }
        hits += found.size();
        const auto list = sorted(found.items());
        return !found.overflowed() && list == brute_force<TypeParam>(mesh, x, shape);
      };
      EXPECT_TRUE(agrees(stroke));
      EXPECT_TRUE(agrees(box));
      EXPECT_TRUE(agrees(point));
      // No triangle that the stroke meets is missing.
      found.clear();
      (void)tree.find(stroke, found);
      const auto list = sorted(found.items());
      for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        if (!meets(stroke.from, stroke.to, mesh.triangles[t], x)) continue;
        EXPECT_TRUE(std::binary_search(list.begin(), list.end(), t));
      }
    }
    EXPECT_GT(hits, 500u);
    EXPECT_LT(visited, 900u * tree.topology().size() / 4);  // and it prunes
  }
}

TYPED_TEST(VolumeHierarchies, a_stroke_through_a_thin_cloth_finds_it_where_a_point_does_not) {
  using Tree = VolumeHierarchy<TypeParam>;
  const ClothMesh mesh = make_grid({20, 20}, 1.0, 1.0);
  const Tree tree(mesh.triangles, positions(mesh), {});
  const Vector3 above(0.52, 0.51, 0.01), below(0.52, 0.51, -0.05);
  TriangleList found(mesh.triangles.size());
  (void)tree.find(lab::SweptPoint{below, below, 0.0}, found);
  EXPECT_EQ(found.size(), 0u);
  (void)tree.find(lab::SweptPoint{above, below, 0.0}, found);
  EXPECT_GT(found.size(), 0u);
  EXPECT_LT(found.size(), 30u);
}

TYPED_TEST(VolumeHierarchies, a_full_list_says_so) {
  const ClothMesh mesh = make_grid({6, 6}, 1.0, 1.0);
  const VolumeHierarchy<TypeParam> tree(mesh.triangles, positions(mesh), {});
  const BoxVolume all{Vector3::Constant(-1.0), Vector3::Constant(2.0)};
  TriangleList exact(50), small(49);
  (void)tree.find(all, exact);
  (void)tree.find(all, small);
  EXPECT_EQ(exact.size(), 50u);
  EXPECT_FALSE(exact.overflowed());
  EXPECT_EQ(small.size(), 49u);
  EXPECT_TRUE(small.overflowed());
  EXPECT_TRUE(std::equal(small.items().begin(), small.items().end(), exact.items().begin()));
  small.clear();
  EXPECT_FALSE(small.overflowed());
}

TYPED_TEST(VolumeHierarchies, a_negative_inflation_is_refused) {
  const ClothMesh mesh = make_grid({2, 2}, 1.0, 1.0);
  using Tree = VolumeHierarchy<TypeParam>;
  for (const double bad : {-1e-9, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(Tree(mesh.triangles, positions(mesh), {.branching = 2, .inflation = bad}),
                 InputError);
  }
}

}  // namespace
}  // namespace haptic::cloth
