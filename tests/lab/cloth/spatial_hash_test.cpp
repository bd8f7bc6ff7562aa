#include "lab/cloth/spatial_hash.h"

#include <gtest/gtest.h>

#include <limits>

#include "lab/cloth/sphere_volume.h"
#include "lab/samples/moving_cloths.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

TEST(SpatialHash, hashes_are_those_of_32_bits) {
  const struct {
    GridCell cell;
    std::uint32_t hash, in_9973;
  } rows[] = {{{1, 2, 3}, 147163718u, 2130u},
              {{-1, 0, 0}, 4221111203u, 9034u},
              {{-3, 7, -11}, 865854867u, 8980u},
              {{100, 200, 300}, 2322244120u, 1151u}};
  for (const auto& row : rows) {
    EXPECT_EQ(hash_of(row.cell), row.hash);
    EXPECT_EQ(hash_of(row.cell) % 9973u, row.in_9973);
  }
  EXPECT_EQ(41u * 471943u, 19349663u);  // the source calls it a prime
}

/// Buckets of the cells that the triangle's box touches; expects the triangle in each.
std::set<std::size_t> buckets_of(const SpatialHash& hash, std::uint32_t triangle) {
  const GridCell low = hash.cell_at(hash.box(triangle).lower);
  const GridCell high = hash.cell_at(hash.box(triangle).upper);
  std::set<std::size_t> buckets;
  for (std::int32_t i = low[0]; i <= high[0]; ++i) {
    for (std::int32_t j = low[1]; j <= high[1]; ++j) {
      for (std::int32_t k = low[2]; k <= high[2]; ++k) {
        EXPECT_TRUE(hash.holds({i, j, k}, triangle));
        buckets.insert(hash_of({i, j, k}) % hash.bucket_count());
      }
    }
  }
  return buckets;
}

TEST(SpatialHash, a_triangle_is_in_each_cell_of_its_box_and_old_entries_are_gone) {
  const ClothMesh mesh = make_grid({15, 15}, 1.0, 1.0);
  cloth::ParticleVectors x = cloth::positions(mesh);
  for (double& value : x) value -= 0.5;  // negative cells too
  SpatialHash hash(mesh.triangles, x);
  cloth::TriangleList found(mesh.triangles.size());
  const cloth::BoxVolume start{{-0.6, -0.6, -0.7}, {0.6, 0.6, -0.3}};
  hash.find(start, found);
  ASSERT_EQ(found.size(), mesh.triangles.size());
  for (int step = 1; step <= 1000; ++step) {
    x = cloth::waving(mesh, 0.1, 0.05 * step);
    for (std::size_t i = 0; i < x.size(); i += 3) x[i] += 0.01 * step - 5.0;
    {
      NoAllocation guard;
      ASSERT_EQ(hash.update(x), cloth::UpdateResult::kDone);
    }
    if (step % 50 != 0) continue;
    // A triangle is in the buckets of its cells, once in each, and in no other since an old step.
    std::size_t entries = 0;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      const std::set<std::size_t> buckets = buckets_of(hash, t);
      entries += buckets.size();
      for (std::int32_t k = -60; k < 60; ++k) {
        const GridCell cell{k, k % 7, k % 3};
        EXPECT_EQ(hash.holds(cell, t), buckets.contains(hash_of(cell) % hash.bucket_count()));
      }
    }
    EXPECT_EQ(hash.entry_count(), entries);
    EXPECT_EQ(hash.large_count(), 0u);
  }
  // At step 1000 the cloth is 5 m away: nothing is left where it was.
  found.clear();
  hash.find(start, found);
  EXPECT_EQ(found.size(), 0u);
}

TEST(SpatialHash, work_grows_with_the_number_of_triangles) {
  // By counting: entries made in a rebuild of a waving cloth, log against log over the five grids.
  double mean_u = 0.0, mean_v = 0.0, uv = 0.0, uu = 0.0;
  for (const std::uint32_t side : cloth::kSides) {
    const ClothMesh mesh = make_grid({side, side}, 1.0, 1.0);
    const SpatialHash hash(mesh.triangles, cloth::waving(mesh, 0.05, 0.3));
    EXPECT_EQ(hash.large_count(), 0u);
    const double u = std::log(static_cast<double>(mesh.triangles.size()));
    const double v = std::log(static_cast<double>(hash.entry_count()));
    mean_u += u / 5.0;
    mean_v += v / 5.0;
    uu += u * u;
    uv += u * v;
  }
  EXPECT_NEAR((uv - 5.0 * mean_u * mean_v) / (uu - 5.0 * mean_u * mean_u), 1.0, 0.15);
}

TEST(SpatialHash, queries_agree_with_each_triangle_by_itself) {
  std::mt19937 random(29);
  const ClothMesh mesh = make_grid({24, 24}, 1.0, 1.0);
  SpatialHash hash(mesh.triangles, cloth::positions(mesh));
  cloth::TriangleList found(mesh.triangles.size());
  std::size_t hits = 0, large = 0;
  for (int trial = 0; trial < 300; ++trial) {
    // Every third cloth is rolled up, every fifth crumpled: its triangles are large ones.
    cloth::ParticleVectors x = cloth::waving(mesh, 0.15, 0.1 * trial, trial % 3 == 0 ? 4.0 : 0.0);
    if (trial % 5 == 0) {
      for (int k = 0; k < 40; ++k) {
        cloth::at(x, random() % mesh.vertices.size()) = cloth::random_point(random, -0.3, 1.1);
      }
    }
    ASSERT_EQ(hash.update(x), cloth::UpdateResult::kDone);
    large += hash.large_count();
    const double length = trial % 2 == 0 ? 0.15 : 1.0;
    const Vector3 from = cloth::random_point(random, -0.3, 1.1);
    const SweptPoint stroke{from, from + cloth::random_point(random, -length, length),
                            trial % 4 == 0 ? 0.02 : 0.0};
    const cloth::BoxVolume box{from, from + Vector3::Constant(0.5 * length)};
    const SweptPoint point{from, from, 0.03};
    const auto agrees = [&](const auto& shape) {
      found.clear();
      {
        NoAllocation guard;
        hash.find(shape, found);
      }
      hits += found.size();
      return cloth::sorted(found.items()) == cloth::brute_force<cloth::BoxVolume>(mesh, x, shape);
    };
    EXPECT_TRUE(agrees(stroke));
    EXPECT_TRUE(agrees(box));
    EXPECT_TRUE(agrees(point));
  }
  EXPECT_GT(hits, 1000u);
  EXPECT_GT(large, 1000u);
}

TEST(SpatialHash, a_cell_is_the_mean_edge_and_follows_a_change_of_over_a_quarter) {
  const ClothMesh mesh = make_grid({11, 11}, 1.0, 1.0);
  cloth::ParticleVectors x = cloth::positions(mesh);
  SpatialHash hash(mesh.triangles, x);
  const double mean = 0.1 * (2.0 + std::sqrt(2.0)) / 3.0;
  EXPECT_NEAR(hash.cell_size(), mean, 1e-15);
  EXPECT_EQ(hash.bucket_count(), 401u);  // the first prime above 2 x 200
  const auto scaled = [&](double scale) {
    cloth::ParticleVectors y = x;
    for (double& value : y) value *= scale;
    return y;
  };
  ASSERT_EQ(hash.update(scaled(1.24)), cloth::UpdateResult::kDone);
  EXPECT_NEAR(hash.cell_size(), mean, 1e-15);
  ASSERT_EQ(hash.update(scaled(1.26)), cloth::UpdateResult::kDone);
  EXPECT_NEAR(hash.cell_size(), 1.26 * mean, 1e-14);
  ASSERT_EQ(hash.update(scaled(0.95)), cloth::UpdateResult::kDone);
  EXPECT_NEAR(hash.cell_size(), 1.26 * mean, 1e-14);
  ASSERT_EQ(hash.update(scaled(0.94)), cloth::UpdateResult::kDone);
  EXPECT_NEAR(hash.cell_size(), 0.94 * mean, 1e-14);
  ASSERT_EQ(hash.update(scaled(0.0)), cloth::UpdateResult::kDone);  // a point: the size stays
  EXPECT_NEAR(hash.cell_size(), 0.94 * mean, 1e-14);
  cloth::TriangleList found(200);
  hash.find(cloth::BoxVolume{Vector3::Zero(), Vector3::Zero()}, found);
  EXPECT_EQ(found.size(), 200u);
}

TEST(SpatialHash, cells_of_negative_coordinates_are_rounded_down) {
  const ClothMesh mesh = make_grid({2, 2}, 1.0, 1.0);
  const SpatialHash hash(mesh.triangles, cloth::positions(mesh));
  const double l = hash.cell_size();
  EXPECT_EQ(hash.cell_at({-0.5 * l, 0.5 * l, -1.5 * l}), (GridCell{-1, 0, -2}));
  EXPECT_EQ(hash.cell_at({-1e300, 1e300, 0.0}), (GridCell{-1073741825, 1073741825, 0}));
}

TEST(SpatialHash, a_query_far_away_or_without_numbers_finds_nothing) {
  const ClothMesh mesh = make_grid({5, 5}, 1.0, 1.0);
  const SpatialHash hash(mesh.triangles, cloth::positions(mesh));
  cloth::TriangleList found(32);
  hash.find(cloth::BoxVolume{Vector3::Constant(1e20), Vector3::Constant(2e20)}, found);
  EXPECT_EQ(found.size(), 0u);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  hash.find(SweptPoint{{nan, 0, 0}, {1, 1, nan}, 0.1}, found);
  hash.find(cloth::BoxVolume{}, found);
  EXPECT_EQ(found.size(), 0u);
  hash.find(cloth::BoxVolume{Vector3::Constant(-1e300), Vector3::Constant(1e300)}, found);
  EXPECT_EQ(found.size(), 32u);
  EXPECT_FALSE(found.overflowed());
  hash.find(SweptPoint{{0.1, 0.1, 0.0}, {0.1, 0.1, 0.0}, 0.01}, found);
  EXPECT_TRUE(found.overflowed());
}

TEST(SpatialHash, positions_that_are_not_finite_change_nothing) {
  const ClothMesh mesh = make_grid({5, 5}, 1.0, 1.0);
  const cloth::ParticleVectors x = cloth::positions(mesh);
  SpatialHash hash(mesh.triangles, x);
  cloth::TriangleList found(32);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    cloth::ParticleVectors y = cloth::waving(mesh, 0.4, 1.0);
    y[31] = bad;
    EXPECT_EQ(hash.update(y), cloth::UpdateResult::kNotFinite);
    found.clear();
    hash.find(cloth::BoxVolume{Vector3::Zero(), Vector3(1, 1, 0)}, found);
    EXPECT_EQ(found.size(), 32u);
  }
  const std::vector<cloth::TriangleCorners> none;
  EXPECT_THROW(SpatialHash(none, x), InputError);
  EXPECT_THROW(SpatialHash(mesh.triangles, cloth::ParticleVectors(75, 0.0)), InputError);
  cloth::ParticleVectors far = x;
  for (double& value : far) value += 1e12;
  EXPECT_THROW(SpatialHash(mesh.triangles, far), InputError);
}

}  // namespace
}  // namespace haptic::lab
