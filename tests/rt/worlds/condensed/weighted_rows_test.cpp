#include "rt/worlds/condensed/weighted_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/rt/dynamics/simd_targets.h"

namespace haptic::condensed {
namespace {

class WeightedRowsOn : public testing::TestWithParam<SimdTarget> {};

/// The bits of the definition, for every remainder of lanes, groups of rows and blocks.
template <class Value>
void expect_the_chain_of_multiply_adds(void (*add)(const Value* const*, const double*, std::size_t,
                                                   std::size_t, double*)) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const std::size_t count : {0, 1, 2, 3, 7, 8, 9, 11, 24, 35}) {
    for (const std::size_t length : {1, 3, 8, 15, 16, 33, 1023, 1024, 1025, 2100}) {
      std::vector<std::vector<Value>> rows(count, std::vector<Value>(length));
      std::vector<const Value*> pointers;
      std::vector<double> weights, sum(length + 1);
      for (auto& row : rows) {
        for (Value& v : row) v = static_cast<Value>(normal(random));
        pointers.push_back(row.data());
        weights.push_back(normal(random));
      }
      for (double& v : sum) v = normal(random);
      std::vector<double> expected = sum;
      for (std::size_t e = 0; e < length; ++e) {
        for (std::size_t i = 0; i < count; ++i) {
          expected[e] = std::fma(weights[i], static_cast<double>(rows[i][e]), expected[e]);
        }
      }
      add(pointers.data(), weights.data(), count, length, sum.data());
      ASSERT_EQ(sum, expected) << count << " rows of " << length;
    }
  }
}

TEST_P(WeightedRowsOn, single_rows_are_chains_of_multiply_adds) {
  expect_the_chain_of_multiply_adds<float>(weighted_rows_kernels(GetParam()).add_single);
}

TEST_P(WeightedRowsOn, double_rows_are_chains_of_multiply_adds) {
  expect_the_chain_of_multiply_adds<double>(weighted_rows_kernels(GetParam()).add);
}

INSTANTIATE_TEST_SUITE_P(Targets, WeightedRowsOn, testing::ValuesIn(supported_simd_targets()),
                         [](const auto& target) { return std::string(name_of(target.param)); });

}  // namespace
}  // namespace haptic::condensed
