#include "rt/worlds/cloth/particle_aggregates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lab/samples/cloth_samples.h"

namespace haptic::cloth {
namespace {

TEST(ParticleAggregates, groups_are_of_like_size_and_lie_together) {
  const SampleCloth cloth = square_cloth(20, 0.01, same_materials(1.0));
  const Springs& springs = cloth.system.springs().springs();
  const ParticleAggregates groups(400, springs.first, springs.second, 16);
  ASSERT_EQ(groups.size(), 16u);
  for (std::uint32_t a = 0; a < 16; ++a) {
    EXPECT_GE(std::ranges::count(groups.of, a), 10);
    EXPECT_LE(std::ranges::count(groups.of, a), 60);
    Vector3 low = Vector3::Constant(1.0), high = -low;
    for (std::size_t i = 0; i < 400; ++i) {
      if (groups.of[i] != a) continue;
      low = low.cwiseMin(at(cloth.state.x, i));
      high = high.cwiseMax(at(cloth.state.x, i));
    }
    // 25 particles of a square have a diagonal of 0.057 m, of a strip of two rows 0.12 m.
    EXPECT_LT((high - low).norm(), 0.125);
    EXPECT_EQ(groups.component[a], 0u);
  }
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const auto [low, high] = std::minmax(groups.of[springs.first[s]], groups.of[springs.second[s]]);
    EXPECT_LE(groups.first_neighbour[high], low);
  }
}

TEST(ParticleAggregates, a_group_is_in_one_component) {
  // Chains of 5, 1 and 3 particles.
  const std::vector<std::uint32_t> first = {0, 1, 2, 3, 6, 7}, second = {1, 2, 3, 4, 7, 8};
  for (const std::size_t count : {1u, 4u, 9u, 20u}) {
    const ParticleAggregates groups(9, first, second, count);
    EXPECT_EQ(groups.size(), std::clamp<std::size_t>(count, 3, 9));
    std::set<std::uint32_t> components;
    for (std::size_t i = 0; i < 9; ++i) {
      const std::uint32_t component = groups.component[groups.of[i]];
      components.insert(component);
      EXPECT_EQ(component, groups.component[groups.of[i < 5 ? 0 : i < 6 ? 5 : 6]]);
    }
    EXPECT_EQ(components.size(), 3u);
  }
}

}  // namespace
}  // namespace haptic::cloth
