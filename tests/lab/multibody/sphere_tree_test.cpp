#include "lab/multibody/sphere_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kPoints = 300, kDimension = 7;

struct Cloud {
  Cloud() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    points = Eigen::Matrix3Xd::NullaryExpr(3, kPoints, [&] { return uniform(random); });
    U = Eigen::MatrixXd::NullaryExpr(3 * kPoints, kDimension, [&] { return uniform(random); });
  }
  Eigen::Matrix3Xd points;
  Eigen::MatrixXd U;
};

TEST(SphereTree, spheres_contain_their_points_for_every_q) {
  const Cloud cloud;
  const SphereTree tree(cloud.points, cloud.U, 0.7);
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0.0, 0.3);
  Eigen::Matrix3Xd centres;
  Eigen::VectorXd radii;
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::VectorXd q =
        Eigen::VectorXd::NullaryExpr(kDimension, [&] { return normal(random); });
    tree.spheres(q, centres, radii);
    const Eigen::VectorXd u = cloud.U * q;
    double worst = -1.0;
    for (int i = 0; i < tree.node_count(); ++i) {
      for (const int p : tree.points(i)) {
        const Vector3 place = cloud.points.col(p) + u.segment<3>(3 * p);
        worst = std::max(worst, (place - centres.col(i)).norm() - radii[i]);
      }
    }
    EXPECT_LE(worst, 1e-12) << trial;  // rounding; acceptance test 40
  }
}

TEST(SphereTree, leaves_partition_the_points) {
  const Cloud cloud;
  const SphereTree tree(cloud.points, cloud.U, 0.7);
  std::multiset<int> seen;
  for (const int leaf : tree.leaves()) {
    EXPECT_TRUE(tree.node(leaf).is_leaf());
    EXPECT_LE(tree.rest_radius(leaf), 0.7);
    EXPECT_LE(tree.rest_radius(leaf), tree.largest_leaf());
    seen.insert(tree.points(leaf).begin(), tree.points(leaf).end());
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kPoints));
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), seen.size());
  EXPECT_EQ(tree.node_count(), 2 * tree.leaf_count() - 1);
}

TEST(SphereTree, centres_move_with_the_mean_of_their_points) {
  const Cloud cloud;
  const SphereTree tree(cloud.points, cloud.U, 0.7);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(kDimension, -0.2, 0.3);
  Eigen::Matrix3Xd rest, moved;
  Eigen::VectorXd radii;
  tree.spheres(Eigen::VectorXd::Zero(kDimension), rest, radii);
  tree.spheres(q, moved, radii);
  for (const int leaf : tree.leaves()) {
    EXPECT_LE((moved.col(leaf) - rest.col(leaf) - tree.centre_motion(leaf) * q).norm(), 1e-14);
  }
}

TEST(SphereTree, refuses_bad_sizes) {
  const Cloud cloud;
  EXPECT_THROW(SphereTree(Eigen::Matrix3Xd(3, 0), Eigen::MatrixXd(0, 2), 0.7), InputError);
  EXPECT_THROW(SphereTree(cloud.points, cloud.U.topRows(9), 0.7), InputError);
  EXPECT_THROW(SphereTree(cloud.points, cloud.U, 0.0), InputError);
}

}  // namespace
}  // namespace haptic
