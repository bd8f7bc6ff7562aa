#include "lab/cloth/bucket_tree.h"

#include <gtest/gtest.h>

#include <limits>

#include "lab/cloth/sphere_volume.h"
#include "lab/samples/moving_cloths.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

TEST(BucketTree, places_are_within_the_grid_and_buckets_are_8_to_the_levels) {
  const ClothMesh mesh = make_grid({9, 9}, 1.0, 2.0);
  const cloth::ParticleVectors x = cloth::waving(mesh, 0.3, 0.5);
  cloth::BoxVolume whole;
  for (const auto& triangle : mesh.triangles) {
    whole = merged(whole, cloth::volume_of<cloth::BoxVolume>(triangle, x));
  }
  for (std::uint32_t levels = 0; levels <= BucketTree::kMaxLevels; ++levels) {
    const BucketTree tree(mesh.triangles, x, levels);
    const std::uint32_t last = (1u << levels) - 1;
    EXPECT_EQ(tree.bucket_count(), std::size_t{1} << (3 * levels));
    for (int corner = 0; corner < 8; ++corner) {
      Vector3 p;
      std::array<std::uint32_t, 3> expected;
      for (int axis = 0; axis < 3; ++axis) {
        const bool high = ((corner >> axis) & 1) != 0;
        p[axis] = high ? whole.upper[axis] : whole.lower[axis];
        expected[static_cast<std::size_t>(axis)] = high ? last : 0;
      }
      EXPECT_EQ(tree.place_of(p), expected);
    }
    const Vector3 beyond = whole.upper + Vector3::Constant(9.0);
    EXPECT_EQ(tree.place_of(beyond), (std::array<std::uint32_t, 3>{last, last, last}));
    EXPECT_EQ(tree.place_of(-beyond), (std::array<std::uint32_t, 3>{0, 0, 0}));
    // Just inside the middle of the box, and just above.
    const Vector3 middle = 0.5 * (whole.lower + whole.upper);
    const std::uint32_t half = (last + 1) / 2;
    if (levels > 0) {
      EXPECT_EQ(tree.place_of(middle + Vector3::Constant(1e-9)),
                (std::array<std::uint32_t, 3>{half, half, half}));
      EXPECT_EQ(tree.place_of(middle - Vector3::Constant(1e-9)),
                (std::array<std::uint32_t, 3>{half - 1, half - 1, half - 1}));
    }
  }
}

TEST(BucketTree, each_triangle_is_in_the_bucket_of_its_centroid_and_in_no_other) {
  const ClothMesh mesh = make_grid({20, 20}, 1.0, 1.0);
  BucketTree tree(mesh.triangles, cloth::positions(mesh), 3);
  const cloth::ParticleVectors x = cloth::waving(mesh, 0.3, 1.5, 3.0);
  ASSERT_EQ(tree.update(x), cloth::UpdateResult::kDone);
  std::vector<int> seen(mesh.triangles.size(), 0);
  std::size_t occupied = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (std::uint32_t j = 0; j < 8; ++j) {
      for (std::uint32_t k = 0; k < 8; ++k) {
        const auto bucket = tree.bucket({i, j, k});
        occupied += bucket.empty() ? 0 : 1;
        EXPECT_TRUE(std::is_sorted(bucket.begin(), bucket.end()));
        for (const std::uint32_t t : bucket) {
          ++seen[t];
          const auto& [a, b, c] = mesh.triangles[t];
          const Vector3 centroid = (cloth::at(x, a) + cloth::at(x, b) + cloth::at(x, c)) / 3.0;
          EXPECT_EQ(tree.place_of(centroid), (std::array<std::uint32_t, 3>{i, j, k}));
        }
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(mesh.triangles.size(), 1));
  EXPECT_GT(occupied, 50u);
}

TEST(BucketTree, queries_agree_with_each_triangle_by_itself) {
  std::mt19937 random(31);
  const ClothMesh mesh = make_grid({24, 24}, 1.0, 1.0);
  cloth::TriangleList found(mesh.triangles.size());
  std::size_t hits = 0;
  for (const std::uint32_t levels : {0u, 1u, 3u, 4u}) {
    BucketTree tree(mesh.triangles, cloth::positions(mesh), levels);
    std::size_t visited = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const cloth::ParticleVectors x =
          cloth::waving(mesh, 0.15, 0.1 * trial, trial % 3 == 0 ? 4.0 : 0.0);
      {
        NoAllocation guard;
        ASSERT_EQ(tree.update(x), cloth::UpdateResult::kDone);
      }
      const Vector3 from = cloth::random_point(random, -0.3, 1.1);
      const SweptPoint stroke{from, cloth::random_point(random, -0.3, 1.1),
                              trial % 2 == 0 ? 0.0 : 0.02};
      const cloth::BoxVolume box{from, from + Vector3::Constant(0.2)};
      const auto agrees = [&](const auto& shape) {
        found.clear();
        {
          NoAllocation guard;
          visited += tree.find(shape, found);
        }
        hits += found.size();
        return cloth::sorted(found.items()) == cloth::brute_force<cloth::BoxVolume>(mesh, x, shape);
      };
      EXPECT_TRUE(agrees(stroke));
      EXPECT_TRUE(agrees(box));
    }
    EXPECT_LE(visited, 200u * ((8 * tree.bucket_count() - 1) / 7) / (levels > 2 ? 4 : 1));
  }
  EXPECT_GT(hits, 1000u);
}

TEST(BucketTree, a_flat_cloth_and_a_crowded_bucket_are_found_too) {
  // m - 1 of m triangles in one bucket, which the source has as the weak point: one is far away.
  ClothMesh mesh = make_grid({5, 5}, 1.0, 1.0);
  mesh.vertices.push_back({100, 0, 0});
  mesh.vertices.push_back({101, 0, 0});
  mesh.vertices.push_back({100, 1, 0});
  mesh.triangles.push_back({25, 26, 27});
  const BucketTree tree(mesh.triangles, cloth::positions(mesh), 4);
  EXPECT_EQ(tree.place_of({50.0, 0.5, 7.0})[2], 0u);
  cloth::TriangleList found(33);
  (void)tree.find(cloth::BoxVolume{{99, 0, 0}, {102, 0, 0}}, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.items()[0], 32u);
  found.clear();
  (void)tree.find(cloth::BoxVolume{{-1, -1, 0}, {2, 2, 0}}, found);
  EXPECT_EQ(found.size(), 32u);
  cloth::TriangleList few(3);
  (void)tree.find(cloth::BoxVolume{{-1, -1, 0}, {2, 2, 0}}, few);
  EXPECT_TRUE(few.overflowed());
}

TEST(BucketTree, bad_input_is_refused_and_bad_positions_change_nothing) {
  const ClothMesh mesh = make_grid({5, 5}, 1.0, 1.0);
  const cloth::ParticleVectors x = cloth::positions(mesh);
  EXPECT_THROW(BucketTree(mesh.triangles, x, 7), InputError);
  const std::vector<cloth::TriangleCorners> none;
  EXPECT_THROW(BucketTree(none, x, 2), InputError);
  BucketTree tree(mesh.triangles, x, 2);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -1e101}) {
    cloth::ParticleVectors y = cloth::waving(mesh, 0.4, 1.0);
    y[31] = bad;
    EXPECT_EQ(tree.update(y), cloth::UpdateResult::kNotFinite);
    cloth::TriangleList found(32);
    (void)tree.find(cloth::BoxVolume{Vector3::Zero(), Vector3(1, 1, 0)}, found);
    EXPECT_EQ(found.size(), 32u);
  }
}

}  // namespace
}  // namespace haptic::lab
