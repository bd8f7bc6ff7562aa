#include "shared/ipc/display_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace haptic {
namespace {

constexpr std::uint64_t kUntouched = 0x5a5a5a5a5a5a5a5a;

/// The part of a segment that a writer of `values` gets, without a word to spare, and a word behind
/// each copy that it must not touch.
struct Shared {
  explicit Shared(std::uint64_t values)
      : stride(24 + (values + 1) / 2 * 8 + 8), words((64 + 2 * stride) / 8, kUntouched) {
    words[0] = 0;
    words[8] = words[8 + stride / 8] = 0;
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }
  std::uint64_t published() const { return words[0]; }
  std::uint64_t behind(std::size_t copy) const { return words[8 + (copy + 1) * stride / 8 - 1]; }
  float value(std::size_t copy, std::size_t index) const {
    float result;
    std::memcpy(&result,
                reinterpret_cast<const std::byte*>(&words[8 + copy * stride / 8 + 3]) + 4 * index,
                sizeof result);
    return result;
  }

  std::uint64_t stride;
  std::vector<std::uint64_t> words;
};

TEST(DisplayWriter, writes_its_values_and_nothing_behind_them) {
  for (const std::uint64_t count :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{DisplayWriter::kChunk},
        std::uint64_t{DisplayWriter::kChunk + 1}, std::uint64_t{3 * DisplayWriter::kChunk}}) {
    Shared shared(count);
    DisplayWriter writer(shared.data(), shared.stride, count, 1);
    std::vector<double> values(count);
    for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
    // Three blocks of which one is empty; the first ends at an odd place.
    const std::size_t first = std::min<std::size_t>(count, 3);
    const std::span<const double> blocks[] = {
        std::span(values).first(first), {}, std::span(values).subspan(first)};
    const std::uint64_t parts = (count + DisplayWriter::kChunk - 1) / DisplayWriter::kChunk;
    for (std::uint64_t cycle = 0; cycle < 2 * parts; ++cycle) {
      EXPECT_EQ(shared.published(), cycle / parts) << count;
      writer.publish(cycle, blocks);
    }
    ASSERT_EQ(shared.published(), 2u) << count;
    for (std::size_t copy = 0; copy < 2; ++copy) {
      for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(shared.value(copy, i), static_cast<float>(i)) << count;
      }
      EXPECT_EQ(shared.behind(copy), kUntouched) << count;
    }
  }
}

TEST(DisplayWriter, missing_values_are_zero) {
  Shared shared(6);
  DisplayWriter writer(shared.data(), shared.stride, 6, 1);
  const std::vector<double> values = {1.0, 2.0, 3.0};
  const std::span<const double> blocks[] = {values};
  writer.publish(0, blocks);
  writer.publish(1, {});
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(shared.value(0, i), i < 3 ? static_cast<float>(i + 1) : 0.0f);
    EXPECT_EQ(shared.value(1, i), 0.0f);
  }
}

}  // namespace
}  // namespace haptic
