#include "rt/contact/normal_equations.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

TEST(NormalEquations, rows_change_only_the_elements_of_their_blocks) {
  const std::uint32_t sizes[] = {13, 6, 20, 6, 3};
  const BlockPattern pattern(sizes);
  const std::uint32_t blocks[] = {1, 3};
  const RowSupport support = RowSupport::make(pattern, blocks);
  ASSERT_EQ(support.width, 16u);  // two segments of six, padded
  NormalEquations equations(pattern.unknowns(), support.width);
  HugeVector<double> rows;
  rows.resize(16 * 8);
  // Unknown of each element of a row.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> elements;
  for (std::uint32_t i = 0; i < 6; ++i) elements.emplace_back(support.offset(1) + i, 13 + i);
  for (std::uint32_t i = 0; i < 6; ++i) elements.emplace_back(support.offset(3) + i, 39 + i);
  for (std::size_t i = 0; i < 8; ++i) {
    for (const auto& [at, unknown] : elements) rows[16 * i + at] = 1.0 + 0.1 * unknown;
    equations.add(support, rows.data() + 16 * i, 2.0, 3.0);
  }
  equations.flush();
  const auto value = [](std::uint32_t j) {
    return (j >= 13 && j < 19) || (j >= 39 && j < 45) ? 1.0 + 0.1 * j : 0.0;
  };
  for (std::uint32_t j = 0; j < pattern.unknowns(); ++j) {
    EXPECT_NEAR(equations.load()[j], 24.0 * value(j), 1e-12);
    for (std::uint32_t i = j; i < pattern.unknowns(); ++i) {
      EXPECT_NEAR(equations.column(j)[i], 16.0 * value(i) * value(j), 1e-12) << i << " " << j;
    }
  }
}

TEST(NormalEquations, sum_the_products_of_any_number_of_rows) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const std::uint32_t n : {1u, 3u, 4u, 6u, 26u, 45u}) {
    for (std::uint32_t count = 0; count < 20; ++count) {
      const BlockPattern pattern({&n, 1});
      constexpr std::uint32_t kFirst = 0;
      const RowSupport support = RowSupport::make(pattern, {&kFirst, 1});
      const std::size_t stride = support.width;
      ASSERT_GE(stride, n);
      NormalEquations equations(n, support.width);
      HugeVector<double> rows;
      rows.resize(stride * (count + 1));
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
      Eigen::VectorXd r = Eigen::VectorXd::Zero(n);
      const auto row = [&](std::size_t i) {
        return Eigen::Map<Eigen::VectorXd>(rows.data() + stride * i, n);
      };
      for (std::uint32_t i = 0; i < count; ++i) {
        // Every other row is zero but for some elements.
        for (std::uint32_t j = 0; j < n; ++j) {
          const bool kept = i % 2 == 0 || (j >= n / 3 && j < n / 2);
          row(i)[j] = kept || count % 2 == 0 ? uniform(random) : 0.0;
        }
      }
      {
        NoAllocation guard;
        for (std::uint32_t i = 0; i < count; ++i) {
          const double slope = uniform(random), force = uniform(random);
          // Every third one is a combination of two rows.
          if (i % 3 == 2) {
            equations.add(support, 0.6, rows.data() + stride * i, -0.8,
                          rows.data() + stride * (i - 1), slope, force);
          } else {
            equations.add(support, rows.data() + stride * i, slope, force);
          }
          for (std::uint32_t a = 0; a < n; ++a) {
            const auto at = [&](std::uint32_t j) {
              return i % 3 == 2 ? 0.6 * row(i)[j] - 0.8 * row(i - 1)[j] : row(i)[j];
            };
            r[a] += force * at(a);
            for (std::uint32_t b = 0; b < n; ++b) H(a, b) += slope * at(a) * at(b);
          }
        }
        equations.flush();
      }
      for (std::uint32_t j = 0; j < n; ++j) {
        // Sums of 20 products of numbers below 1.
        EXPECT_NEAR(equations.load()[j], r[j], 1e-14);
        for (std::uint32_t i = j; i < n; ++i) {
          EXPECT_NEAR(equations.column(j)[i], H(i, j), 1e-14) << n << " " << count;
        }
      }
    }
  }
}

}  // namespace
}  // namespace haptic
