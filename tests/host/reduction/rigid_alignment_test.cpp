#include "host/reduction/rigid_alignment.h"

#include <gtest/gtest.h>

#include <numbers>

#include "shared/math/pose.h"
#include "tests/host/fem/random_element.h"

namespace haptic {
namespace {

constexpr int kVertices = 12;

SparseMatrix some_mass(RandomValues& random) {
  SparseMatrix mass(kVertices, kVertices);
  for (int i = 0; i < kVertices; ++i) mass.insert(i, i) = 2.0 + random.scalar(1.0);
  return mass;
}

Eigen::MatrixXd columns_of(const Eigen::Matrix3Xd& displacements) {
  return Eigen::Map<const Eigen::MatrixXd>(displacements.data(), displacements.size(), 1);
}

TEST(RigidAlignment, a_rigid_motion_leaves_nothing) {
  RandomValues random(1);
  for (int trial = 0; trial < 200; ++trial) {
    Eigen::Matrix3Xd X = random.matrix(3, kVertices, 1.0);
    if (trial % 3 == 1) X.row(2).setZero();  // flat
    const Vector3 axis = Vector3(random.matrix(3, 1, 1.0)).normalized();
    const double angle = trial % 5 == 0 ? std::numbers::pi : 3.0 * random.scalar(1.0);
    const Eigen::Matrix3d R = rotation_exponential(angle * axis).toRotationMatrix();
    const Eigen::Vector3d shift = random.matrix(3, 1, 10.0);
    const Eigen::Matrix3Xd u = (R * X).colwise() + shift - X;
    const Eigen::MatrixXd rest = without_rigid_motion(some_mass(random), X, columns_of(u));
    // Rounding of coordinates of about ten.
    EXPECT_LE(rest.cwiseAbs().maxCoeff(), 1e-13) << trial;
  }
}

TEST(RigidAlignment, what_remains_is_the_deformation_without_a_rotation) {
  RandomValues random(2);
  const Eigen::Matrix3Xd X = random.matrix(3, kVertices, 1.0);
  const SparseMatrix mass = some_mass(random);
  Eigen::Matrix3d stretch = random.matrix(3, 3, 0.1);
  stretch = (stretch + stretch.transpose()).eval();
  stretch += Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d R = rotation_exponential({0.7, -1.9, 0.4}).toRotationMatrix();
  const Eigen::VectorXd weights = mass * Eigen::VectorXd::Ones(kVertices);
  const Eigen::Vector3d centre = X * weights / weights.sum();
  const Eigen::Matrix3Xd turned = R * stretch * X;
  const Eigen::Matrix3Xd straight = stretch * X;
  const Eigen::MatrixXd of_turned =
      without_rigid_motion(mass, X, columns_of(Eigen::Matrix3Xd(turned - X)));
  const Eigen::MatrixXd of_straight =
      without_rigid_motion(mass, X, columns_of(Eigen::Matrix3Xd(straight - X)));
  EXPECT_LE((of_turned - of_straight).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_GE(of_straight.cwiseAbs().maxCoeff(), 0.05);
  // The mean rotation that is left: zero moment of sum m X' x u.
  const Eigen::Map<const Eigen::Matrix3Xd> u(of_straight.data(), 3, kVertices);
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (int i = 0; i < kVertices; ++i) {
    moment += weights[i] * Eigen::Vector3d(X.col(i) - centre).cross(Eigen::Vector3d(u.col(i)));
  }
  EXPECT_LE(moment.norm(), 1e-13);
}

TEST(RigidAlignment, a_body_inside_out_is_turned_not_reflected) {
  RandomValues random(3);
  const Eigen::Matrix3Xd X = random.matrix(3, kVertices, 1.0);
  const Eigen::Matrix3Xd mirrored = -X;
  const Eigen::MatrixXd rest =
      without_rigid_motion(some_mass(random), X, columns_of(Eigen::Matrix3Xd(mirrored - X)));
  // A reflection would leave nothing.
  EXPECT_GE(rest.cwiseAbs().maxCoeff(), 0.1);
}

}  // namespace
}  // namespace haptic
