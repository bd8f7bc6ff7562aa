#include "rt/contact/block_islands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

TEST(BlockIslands, are_those_of_a_flood_fill_and_numbered_by_their_first_blocks) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t blocks = 1 + static_cast<std::uint32_t>(random() % 90);
    BlockIslands islands(blocks);
    std::vector<std::vector<std::uint32_t>> coupled(blocks);
    const auto any = [&] { return static_cast<std::uint32_t>(random() % blocks); };
    const std::uint32_t couplings = any() + any();
    for (std::uint32_t i = 0; i < couplings; ++i) {
      const std::uint32_t a = any(), b = any();
      coupled[a].push_back(b);
      coupled[b].push_back(a);
      const std::uint32_t first_a = islands.first(a), first_b = islands.first(b);
      const BlockIslands::Joined joined = islands.join(a, b);
      EXPECT_EQ(joined.kept, std::min(first_a, first_b));
      EXPECT_EQ(joined.ended, std::max(first_a, first_b));
    }
    islands.number();
    std::vector<std::uint32_t> island(blocks, ~0u);
    std::uint32_t count = 0;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      if (island[block] != ~0u) continue;
      std::vector<std::uint32_t> open = {block};
      island[block] = count;
      while (!open.empty()) {
        const std::uint32_t next = open.back();
        open.pop_back();
        for (const std::uint32_t other : coupled[next]) {
          if (island[other] != ~0u) continue;
          island[other] = count;
          open.push_back(other);
        }
      }
      ++count;
    }
    ASSERT_EQ(islands.count(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t block = 0; block < blocks; ++block) {
        if (island[block] == i) expected.push_back(block);
      }
      const auto found = islands.blocks(i);
      EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.end()), expected);
      for (const std::uint32_t block : expected) {
        EXPECT_EQ(islands.of(block), i);
        EXPECT_EQ(islands.first(block), expected.front());
      }
    }
  }
}

TEST(BlockIslands, never_allocate_and_begin_anew) {
  BlockIslands islands(5);
  NoAllocation guard;
  islands.join(1, 3);
  islands.join(3, 4);
  islands.number();
  EXPECT_EQ(islands.count(), 3u);
  islands.clear();
  islands.number();
  EXPECT_EQ(islands.count(), 5u);
}

}  // namespace
}  // namespace haptic
