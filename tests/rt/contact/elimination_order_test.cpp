#include "rt/contact/elimination_order.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <random>
#include <vector>

#include "rt/contact/small_cholesky.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// A random symmetric positive definite matrix with the blocks of a pattern.
Eigen::MatrixXd random_matrix(const BlockPattern& pattern, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Eigen::Index n = pattern.unknowns();
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
  for (std::uint32_t a = 0; a < pattern.blocks(); ++a) {
    for_each_bit(pattern.row(a), [&](std::uint32_t b) {
      if (b > a) return;
      H.block(pattern.first(a), pattern.first(b), pattern.size(a), pattern.size(b)) =
          Eigen::MatrixXd::NullaryExpr(pattern.size(a), pattern.size(b),
                                       [&] { return uniform(random); });
    });
  }
  H = Eigen::MatrixXd(H.selfadjointView<Eigen::Lower>());
  for (Eigen::Index i = 0; i < n; ++i) H(i, i) = 1.0 + H.row(i).cwiseAbs().sum();
  return H;
}

/// x = H^-1 b in the order and with the pattern found.
Eigen::VectorXd solve(const BlockPattern& pattern, const EliminationOrder& order,
                      SmallCholesky& cholesky, const Eigen::MatrixXd& H, const Eigen::VectorXd& b) {
  std::vector<std::uint32_t> place(pattern.unknowns());
  for (std::uint32_t block = 0; block < pattern.blocks(); ++block) {
    for (std::uint32_t i = 0; i < pattern.size(block); ++i) {
      place[pattern.first(block) + i] = order.place(block) + i;
    }
  }
  cholesky.clear(order.tiles());
  for (std::uint32_t i = 0; i < place.size(); ++i) {
    for (std::uint32_t j = 0; j < place.size(); ++j) {
      if (place[i] >= place[j] && H(i, j) != 0.0) cholesky.set(place[i], place[j], {&H(i, j), 1});
    }
  }
  Eigen::VectorXd permuted(b.size()), x(b.size());
  for (std::uint32_t i = 0; i < place.size(); ++i) permuted[place[i]] = b[i];
  cholesky.set_right_hand_side(0, permuted.data());
  EXPECT_TRUE(cholesky.factor());
  cholesky.solve(0, permuted.data());
  for (std::uint32_t i = 0; i < place.size(); ++i) x[i] = permuted[place[i]];
  return x;
}

TEST(EliminationOrder, factors_of_random_patterns_solve_their_systems) {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t blocks = 1 + below(90);
    std::vector<std::uint32_t> sizes(blocks);
    for (std::uint32_t& size : sizes) size = 1 + below(9);
    BlockPattern pattern(sizes);
    const std::uint32_t pairs = below(2 * blocks);
    for (std::uint32_t i = 0; i < pairs; ++i) pattern.couple(below(blocks), below(blocks));
    EliminationOrder order(pattern);
    SmallCholesky cholesky(pattern.unknowns());
    // Twice: what the first one left in the factor must not be seen.
    for (int again = 0; again < 2; ++again) {
      order.find(pattern);
      const Eigen::MatrixXd H = random_matrix(pattern, random);
      const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(H.rows(), -1.0, 2.0);
      const Eigen::VectorXd x = solve(pattern, order, cholesky, H, b);
      // Diagonally dominant: the condition is below 1e3.
      EXPECT_LE((H * x - b).norm(), 1e-13 * b.norm()) << round;
      pattern.clear();
      for (std::uint32_t i = 0; i < pairs; ++i) {
        pattern.couple(below(blocks), below(blocks));
      }
    }
  }
}

TEST(EliminationOrder, chains_stars_and_separate_bodies_are_not_filled) {
  // The factor has as many tiles as H where an order without fill exists. Blocks of four are tiles.
  const std::vector<std::uint32_t> sizes(70, 4);
  const auto tiles_with = [&](auto&& couple) {
    BlockPattern pattern(sizes);
    couple(pattern);
    EliminationOrder order(pattern);
    order.find(pattern);
    return order.filled();
  };
  EXPECT_EQ(tiles_with([](BlockPattern&) {}), 70u);
  EXPECT_EQ(tiles_with([](BlockPattern& p) {
              for (std::uint32_t i = 0; i + 1 < 70; ++i) p.couple(i, (i + 1));
            }),
            139u);
  // The first block, the hand, touches all others: in the given order all would be filled.
  EXPECT_EQ(tiles_with([](BlockPattern& p) {
              for (std::uint32_t i = 1; i < 70; ++i) p.couple(0, i);
            }),
            139u);
  EXPECT_EQ(tiles_with([](BlockPattern& p) {
              for (std::uint32_t i = 0; i < 70; ++i) {
                for (std::uint32_t j = 0; j < i; ++j) p.couple(i, j);
              }
            }),
            70u * 71u / 2u);
}

TEST(EliminationOrder, blocks_stay_in_their_order_where_all_are_alike) {
  BlockPattern pattern(std::vector<std::uint32_t>{6, 20});
  pattern.couple(0, 1);
  EliminationOrder order(pattern);
  NoAllocation guard;
  order.find(pattern);
  EXPECT_EQ(order.place(0), 0u);
  EXPECT_EQ(order.place(1), 6u);
}

}  // namespace
}  // namespace haptic
