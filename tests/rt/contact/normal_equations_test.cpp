#include "rt/contact/normal_equations.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

TEST(NormalEquations, sparse_rows_change_only_their_own_elements) {
  NormalEquations equations(45);
  HugeVector<double> rows;
  rows.resize(equations.stride() * 8);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 13; j < 19; ++j)
      rows[equations.stride() * i + j] = 1.0 + 0.1 * static_cast<double>(j);
    equations.add(rows.data() + equations.stride() * i, 2.0, 3.0);
  }
  equations.flush();
  for (std::uint32_t j = 0; j < 45; ++j) {
    const double of_j = j >= 13 && j < 19 ? 1.0 + 0.1 * j : 0.0;
    EXPECT_NEAR(equations.load()[j], 24.0 * of_j, 1e-13);
    for (std::uint32_t i = j; i < 45; ++i) {
      const double of_i = i >= 13 && i < 19 ? 1.0 + 0.1 * i : 0.0;
      EXPECT_NEAR(equations.column(j)[i], 16.0 * of_i * of_j, 1e-13) << i << " " << j;
    }
  }
}

TEST(NormalEquations, sum_the_products_of_any_number_of_rows) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const std::uint32_t n : {1u, 3u, 4u, 6u, 26u, 45u}) {
    for (std::uint32_t count = 0; count < 20; ++count) {
      NormalEquations equations(n);
      const std::size_t stride = equations.stride();
      ASSERT_GE(stride, n);
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
            equations.add(0.6, rows.data() + stride * i, -0.8, rows.data() + stride * (i - 1),
                          slope, force);
          } else {
            equations.add(rows.data() + stride * i, slope, force);
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
