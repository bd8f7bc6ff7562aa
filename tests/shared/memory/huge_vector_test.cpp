#include "shared/memory/huge_vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace haptic {
namespace {

struct Marked {
  int number;
  int mark = 7;
};

template <class T>
bool all_are(const HugeVector<T>& values, T value) {
  return std::all_of(values.begin(), values.end(), [=](T v) { return v == value; });
}

// Small pages, and more than one huge page.
constexpr std::size_t kSizes[] = {1, 1000, 1'000'000};

TEST(HugeVector, numbers_without_a_value_are_zero) {
  for (const std::size_t size : kSizes) {
    HugeVector<double> first(size, 3.0);  // its pages may be allocated again, and are zero then
    first = {};
    HugeVector<double> numbers;
    numbers.resize(size);
    EXPECT_TRUE(all_are(numbers, 0.0)) << size;
    EXPECT_TRUE(all_are(HugeVector<std::uint32_t>(size), 0u)) << size;
  }
}

TEST(HugeVector, given_values_and_member_initializers_are_written) {
  for (const std::size_t size : kSizes) {
    EXPECT_TRUE(all_are(HugeVector<float>(size, 2.5f), 2.5f)) << size;
    HugeVector<float> assigned;
    assigned.assign(size, -1.0f);
    EXPECT_TRUE(all_are(assigned, -1.0f)) << size;
    HugeVector<Marked> marked;
    marked.resize(size);
    EXPECT_TRUE(std::all_of(marked.begin(), marked.end(), [](const Marked& m) {
      return m.mark == 7;
    })) << size;
  }
}

TEST(HugeVector, growing_keeps_what_is_there) {
  HugeVector<std::uint32_t> numbers(1000, 5u);
  numbers.resize(1'000'000);
  EXPECT_TRUE(std::all_of(numbers.begin(), numbers.begin() + 1000, [](auto n) { return n == 5u; }));
  EXPECT_TRUE(std::all_of(numbers.begin() + 1000, numbers.end(), [](auto n) { return n == 0u; }));
}

TEST(HugeVector, begins_at_a_cache_line) {
  for (const std::size_t size : kSizes) {
    const HugeVector<std::uint8_t> bytes(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0u) << size;
  }
}

#ifndef HAPTIC_ADDRESS_SANITIZER
/// Memory areas of this process.
int area_count() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

// A process may have 65,530 areas (vm.max_map_count), and a pair of bodies has a dozen vectors.
TEST(HugeVector, small_ones_share_memory_areas) {
  const int before = area_count();
  std::vector<HugeVector<double>> many;
  for (int i = 0; i < 1000; ++i) many.emplace_back(600, 1.0);
  EXPECT_LT(area_count() - before, 100);
}
#endif

}  // namespace
}  // namespace haptic
