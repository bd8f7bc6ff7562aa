#include "shared/ipc/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace haptic {
namespace {

TEST(Histogram, every_value_is_in_its_bucket) {
  for (std::uint64_t value = 0; value < 5000; ++value) {
    const std::size_t bucket = Histogram::bucket_of(value);
    EXPECT_LE(value, Histogram::upper_edge(bucket));
    if (bucket > 0) {
      EXPECT_GT(value, Histogram::upper_edge(bucket - 1));
    }
  }
  for (int bit = 12; bit <= Histogram::kTopBit; ++bit) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::uint64_t value = (std::uint64_t{1} << bit) + static_cast<std::uint64_t>(offset);
      const std::size_t bucket = Histogram::bucket_of(value);
      EXPECT_LE(value, Histogram::upper_edge(bucket));
      EXPECT_GT(value, Histogram::upper_edge(bucket - 1));
    }
  }
}

TEST(Histogram, percentiles_agree_with_the_sorted_values) {
  auto histogram = std::make_unique<Histogram>();
  std::mt19937 random(7);
  std::lognormal_distribution<double> latency(std::log(20e3), 1.0);
  std::vector<std::uint64_t> values(20'000);
  for (std::uint64_t& value : values) {
    value = static_cast<std::uint64_t>(latency(random));
    histogram->record(static_cast<std::int64_t>(value));
  }
  std::sort(values.begin(), values.end());
  for (const double p : {0.5, 0.9, 0.99, 0.999}) {
    const double exact = static_cast<double>(
        values[static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size()))) - 1]);
    // The reported value is its bucket's upper edge: at most 1/64 above the exact one.
    EXPECT_GE(static_cast<double>(histogram->percentile_ns(p)), exact);
    EXPECT_LE(static_cast<double>(histogram->percentile_ns(p)), exact * (1.0 + 1.0 / 64.0) + 1.0);
  }
  EXPECT_EQ(histogram->maximum_ns, values.back());
  EXPECT_EQ(histogram->percentile_ns(1.0), values.back());
  EXPECT_EQ(histogram->count(), values.size());
}

TEST(Histogram, ends_of_the_range_are_kept) {
  auto histogram = std::make_unique<Histogram>();
  EXPECT_EQ(histogram->percentile_ns(0.5), 0u);
  histogram->record(-5);
  histogram->record(std::int64_t{1} << 50);
  EXPECT_EQ(histogram->buckets[0], 1u);
  EXPECT_EQ(histogram->buckets[Histogram::kBuckets - 1], 1u);
  EXPECT_EQ(histogram->maximum_ns, std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace haptic
