#include "rt/contact/small_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

struct SymmetricSystem {
  explicit SymmetricSystem(Eigen::Index n) : random(static_cast<std::uint32_t>(n)) {
    const Eigen::MatrixXd half = matrix(n, n);
    H = half * half.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    b = matrix(n, 2);
  }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(random); });
  }
  void fill(SmallCholesky& cholesky) const {
    const auto n = static_cast<std::uint32_t>(H.rows());
    cholesky.clear();
    // The upper rows by columns, the others by rows.
    const std::uint32_t half = n / 2;
    for (std::uint32_t j = 0; j < half; ++j) cholesky.set(j, j, {&H(j, j), half - j});
    for (std::uint32_t i = half; i < n; ++i) cholesky.set_row(i, 0, {&H(0, i), i + 1});
    for (std::uint32_t k = 0; k < 2; ++k) cholesky.set_right_hand_side(k, b.col(k).data());
  }
  Eigen::VectorXd solution(SmallCholesky& cholesky, std::uint32_t k) const {
    Eigen::VectorXd x(H.rows());
    cholesky.solve(k, x.data());
    return x;
  }

  std::mt19937 random;
  Eigen::MatrixXd H, b;
};

TEST(SmallCholesky, solves_systems_of_every_size_again_and_again) {
  for (Eigen::Index n = 1; n <= 41; ++n) {
    SmallCholesky cholesky(static_cast<std::uint32_t>(n));
    for (int round = 0; round < 3; ++round) {
      SymmetricSystem system(n);
      system.b *= std::pow(10.0, round);
      system.fill(cholesky);
      ASSERT_TRUE(cholesky.factor()) << n;
      for (std::uint32_t k = 0; k < 2; ++k) {
        const Eigen::VectorXd expected = system.H.lu().solve(system.b.col(k));
        // |H| <= n, |H^-1| <= 10: rounding of 1e-16 becomes at most 1e-12.
        EXPECT_LE((system.solution(cholesky, k) - expected).norm(), 1e-12 * expected.norm()) << n;
        Eigen::VectorXd again = system.b.col(k);
        cholesky.solve(again.data());
        EXPECT_LE((again - expected).norm(), 1e-12 * expected.norm()) << n;
        EXPECT_NEAR(cholesky.energy(k), system.b.col(k).dot(expected),
                    1e-12 * system.b.col(k).norm() * expected.norm());
      }
    }
  }
}

TEST(SmallCholesky, removed_unknowns_are_zero_and_the_others_solve_the_rest) {
  for (const Eigen::Index n : {7, 26, 30}) {
    for (const Eigen::Index removed : {1, 4, 6}) {
      for (const Eigen::Index first : {Eigen::Index{0}, (n - removed) / 2, n - removed}) {
        const SymmetricSystem system(n);
        SmallCholesky cholesky(static_cast<std::uint32_t>(n));
        system.fill(cholesky);
        cholesky.remove(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(removed));
        ASSERT_TRUE(cholesky.factor());
        std::vector<Eigen::Index> left;
        for (Eigen::Index j = 0; j < n; ++j) {
          if (j < first || j >= first + removed) left.push_back(j);
        }
        const Eigen::MatrixXd H = system.H(left, left);
        const Eigen::VectorXd b = system.b(left, 1);
        const Eigen::VectorXd expected = H.lu().solve(b), x = system.solution(cholesky, 1);
        EXPECT_EQ(x.segment(first, removed).norm(), 0.0);
        EXPECT_LE((x(left) - expected).norm(), 1e-12 * expected.norm());
      }
    }
  }
}

TEST(SmallCholesky, what_is_not_positive_definite_is_reported_at_any_unknown) {
  for (Eigen::Index bad = 0; bad < 9; ++bad) {
    SmallCholesky cholesky(9);
    SymmetricSystem system(9);
    system.H(bad, bad) -= 20.0;
    system.fill(cholesky);
    EXPECT_FALSE(cholesky.factor()) << bad;
    system.H(bad, bad) = std::numeric_limits<double>::quiet_NaN();
    system.fill(cholesky);
    EXPECT_FALSE(cholesky.factor()) << bad;
  }
}

TEST(SmallCholesky, never_allocates) {
  const SymmetricSystem system(26);
  SmallCholesky cholesky(26);
  Eigen::VectorXd x(26);
  NoAllocation guard;
  system.fill(cholesky);
  EXPECT_TRUE(cholesky.factor());
  cholesky.solve(0, x.data());
}

}  // namespace
}  // namespace haptic
