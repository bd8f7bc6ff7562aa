#include "lab/linear_reference/small_system.h"

#include <gtest/gtest.h>

#include <random>

#include "lab/linear_reference/full_linear_statics.h"
#include "tests/lab/linear_reference/poked_block.h"

namespace haptic::lab {
namespace {

using Eigen::VectorXd;

TEST(SmallSystem, forces_and_displacements_of_contacts_do_the_same_work) {
  const LinearBody body = poked_block();
  const ContactRows H = contact_rows(
      body,
      {{{block_vertex(1, 1, 4), 0.25}, {block_vertex(2, 1, 4), 0.75}},
       {{block_vertex(4, 3, 2), 1.0}},
       {{block_vertex(0, 0, 4), 0.2}, {block_vertex(1, 0, 4), 0.3}, {block_vertex(1, 1, 4), 0.5}}});
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto noise = [&](Eigen::Index n) {
    return VectorXd(VectorXd::NullaryExpr(n, [&] { return normal(random); }));
  };
  for (int i = 0; i < 10; ++i) {
    const VectorXd f = noise(H.rows()), u = noise(H.cols());
    const double at_contacts = f.dot(H * u), at_nodes = (H.transpose() * f).dot(u);
    EXPECT_NEAR(at_contacts, at_nodes, 1e-13 * f.norm() * u.norm());
  }
}

TEST(SmallSystem, redundant_contacts_share_the_force_of_least_norm) {
  const LinearBody body = poked_block();
  const PointWeights corner = {{block_vertex(2, 2, 4), 1.0}};
  const ContactRows once = contact_rows(body, {corner}),
                    twice = contact_rows(body, {corner, corner});
  const Eigen::Vector3d target(0.001, -0.002, -0.005);
  VectorXd both(6);
  both << target, target;
  const ContactSolution one = solve_full_statics(body, once, target);
  const ContactSolution two = solve_full_statics(body, twice, both);
  EXPECT_TRUE(two.contact_force.allFinite());
  EXPECT_LT((two.displacement - one.displacement).norm(), 1e-9 * one.displacement.norm());
  EXPECT_LT((two.contact_force.head<3>() + two.contact_force.tail<3>() - one.contact_force).norm(),
            1e-9 * one.contact_force.norm());
  // Least norm: both carry the same.
  EXPECT_LT((two.contact_force.head<3>() - two.contact_force.tail<3>()).norm(),
            1e-9 * one.contact_force.norm());
  EXPECT_EQ(solve_contacts(Eigen::MatrixXd(0, 0), VectorXd(0)).size(), 0);
}

}  // namespace
}  // namespace haptic::lab
