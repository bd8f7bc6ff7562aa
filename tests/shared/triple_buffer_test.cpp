#include "shared/triple_buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace haptic {
namespace {

TEST(TripleBuffer, the_reader_gets_the_newest_once) {
  TripleBuffer<int> buffer(7);
  EXPECT_EQ(buffer.newest(), 7);
  EXPECT_FALSE(buffer.update());
  for (int i = 1; i <= 3; ++i) {
    buffer.draft() = i;
    buffer.publish();
  }
  EXPECT_EQ(buffer.newest(), 7);  // stays until asked
  EXPECT_TRUE(buffer.update());
  EXPECT_EQ(buffer.newest(), 3);
  EXPECT_FALSE(buffer.update());
  EXPECT_EQ(buffer.newest(), 3);
  buffer.draft() = 4;
  buffer.publish();
  EXPECT_TRUE(buffer.update());
  EXPECT_EQ(buffer.newest(), 4);
}

// Two threads at full speed: no value is torn or repeated after a newer one. Under ThreadSanitizer
// this is also the proof that the two sides never touch one copy.
TEST(TripleBuffer, two_threads_never_see_half_a_value_nor_an_older_one) {
  struct Block {
    std::array<std::uint64_t, 32> words{};
  };
  constexpr std::uint64_t kValues = 200000;
  TripleBuffer<Block> buffer;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kValues; ++i) {
      buffer.draft().words.fill(i);
      buffer.publish();
    }
  });
  std::uint64_t last = 0, seen = 0;
  bool whole = true, forward = true;
  while (last < kValues) {
    if (!buffer.update()) {
      std::this_thread::yield();
      continue;
    }
    const Block& block = buffer.newest();
    for (const std::uint64_t word : block.words) whole = whole && word == block.words[0];
    forward = forward && block.words[0] > last;
    last = block.words[0];
    ++seen;
  }
  writer.join();
  EXPECT_TRUE(whole);
  EXPECT_TRUE(forward);
  EXPECT_GE(seen, 1u);
}

}  // namespace
}  // namespace haptic
