#include "rt/dynamics/quartic_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "rt/dynamics/reduced_energy.h"

namespace haptic {
namespace {

class QuarticLayoutOf : public testing::TestWithParam<SimdTarget> {};

TEST_P(QuarticLayoutOf, every_coefficient_has_a_distinct_place) {
  for (std::uint32_t r = 1; r <= 33; ++r) {
    const QuarticLayout layout(r, GetParam());
    const QuarticPlaces place(layout);
    std::vector<bool> taken(layout.coefficient_count, false);
    std::size_t count = 0;
    for (std::size_t i = 0; i < layout.n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t k = 0; k <= j; ++k) {
          for (std::size_t l = 0; l <= k; ++l) {
            const std::size_t at = place(i, j, k, l);
            ASSERT_LT(at, taken.size()) << "r = " << r;
            ASSERT_FALSE(taken[at]) << "r = " << r << ": " << i << j << k << l;
            taken[at] = true;
            ++count;
          }
        }
      }
    }
    EXPECT_EQ(count, distinct_count(layout.n, 4));
  }
}

// What is streamed is the distinct coefficients, but for few empty lanes.
TEST_P(QuarticLayoutOf, little_padding_is_stored_with_the_coefficients) {
  for (const auto& [r, fraction] : {std::pair{15u, 1.08}, {20u, 1.08}, {30u, 1.05}, {64u, 1.03}}) {
    const std::size_t distinct = distinct_count(r, 2) + distinct_count(r, 3) + distinct_count(r, 4);
    EXPECT_LT(static_cast<double>(QuarticLayout(r, GetParam()).coefficient_count),
              fraction * static_cast<double>(distinct))
        << "r = " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, QuarticLayoutOf,
                         testing::Values(SimdTarget::kAvx2, SimdTarget::kAvx512),
                         [](const auto& target) { return name_of(target.param); });

}  // namespace
}  // namespace haptic
