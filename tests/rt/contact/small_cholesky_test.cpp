#include "rt/contact/small_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <random>

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
