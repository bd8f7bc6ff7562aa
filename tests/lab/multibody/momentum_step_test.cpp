// The linearised implicit step of Xu, Zhao & Barbic 2014, as a system of 13 and of 6 equations.
#include "lab/multibody/momentum_step.h"

#include <gtest/gtest.h>

#include <functional>

namespace haptic {
namespace {

const RigidProperties kBody{
    1.3, Vector3::Zero(),
    (Matrix3() << 0.02, 0.001, 0.002, 0.001, 0.03, -0.003, 0.002, -0.003, 0.025).finished()};

RigidState turning() {
  RigidState state;
  state.centre = {0.01, 0.03, -0.02};
  state.orientation = rotation_exponential({0.2, -0.4, 0.3});
  state.momentum = {0.5, -1.0, 0.2};
  state.angular_momentum = {0.03, -0.05, 0.04};
  return state;
}

Eigen::Matrix3Xd corners() {
  Eigen::Matrix3Xd points(3, 8);
  for (int i = 0; i < 8; ++i) {
    points.col(i) = 0.05 * Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  }
  return points;
}

const PlaneContact kPlane(Vector3(0.1, 1.0, -0.2).normalized(), 0.03, 2e4, 30.0);

TEST(MomentumStep, derivative_of_the_quaternions_rate_is_that_of_differences) {
  const RigidState state = turning();
  const Quaternion o = state.orientation;
  const Eigen::Vector4d q(o.w(), o.x(), o.y(), o.z());
  const Eigen::Matrix4d exact = quaternion_rate_derivative(kBody, q, state.angular_momentum);
  constexpr double kDelta = 1e-6;
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector4d d = kDelta * Eigen::Vector4d::Unit(i);
    const Eigen::Vector4d slope = (quaternion_rate(kBody, q + d, state.angular_momentum) -
                                   quaternion_rate(kBody, q - d, state.angular_momentum)) /
                                  (2.0 * kDelta);
    EXPECT_LT((slope - exact.col(i)).norm(), 1e-8 * exact.norm()) << i;
  }
}

TEST(MomentumStep, derivatives_of_the_contact_are_those_of_differences) {
  const RigidState state = turning();
  const LinearWrench exact = kPlane.at(kBody, corners(), state);
  ASSERT_GT(exact.value.norm(), 1.0);
  constexpr double kDelta = 1e-7;
  const auto slope = [&](const std::function<void(RigidState&, double)>& change) -> Vector6 {
    RigidState more = state, less = state;
    change(more, kDelta);
    change(less, -kDelta);
    return (kPlane.at(kBody, corners(), more).value - kPlane.at(kBody, corners(), less).value) /
           (2.0 * kDelta);
  };
  const Matrix3 R = state.orientation.toRotationMatrix();
  const Matrix3 inertia = R * kBody.inertia * R.transpose();
  for (int i = 0; i < 3; ++i) {
    const Vector3 e = Vector3::Unit(i);
    const Vector6 by_x = slope([&](RigidState& s, double d) { s.centre += d * e; });
    const Vector6 by_turn = slope([&](RigidState& s, double d) {
      s.orientation = rotation_exponential(d * e) * s.orientation;
    });
    const Vector6 by_v = slope([&](RigidState& s, double d) { s.momentum += kBody.mass * d * e; });
    const Vector6 by_w =
        slope([&](RigidState& s, double d) { s.angular_momentum += inertia * (d * e); });
    EXPECT_LT((by_x - exact.by_pose.col(i)).norm(), 1e-6 * exact.by_pose.norm()) << i;
    EXPECT_LT((by_turn - exact.by_pose.col(3 + i)).norm(), 1e-6 * exact.by_pose.norm()) << i;
    EXPECT_LT((by_v - exact.by_velocity.col(i)).norm(), 1e-6 * exact.by_velocity.norm()) << i;
    EXPECT_LT((by_w - exact.by_velocity.col(3 + i)).norm(), 1e-6 * exact.by_velocity.norm()) << i;
  }
}

TEST(MomentumStep, six_equations_give_the_step_of_thirteen) {
  for (const double h : {0.1, 0.01, 0.001}) {
    const RigidState state = turning();
    const LinearWrench wrench = kPlane.at(kBody, corners(), state);
    const RigidState full = full_momentum_step(kBody, wrench, h, state);
    const RigidState reduced = reduced_momentum_step(kBody, wrench, h, state);
    EXPECT_LT((full.centre - reduced.centre).norm(), 1e-11 * full.centre.norm()) << h;
    EXPECT_LT((full.momentum - reduced.momentum).norm(), 1e-11 * full.momentum.norm()) << h;
    EXPECT_LT((full.angular_momentum - reduced.angular_momentum).norm(),
              1e-11 * full.angular_momentum.norm())
        << h;
    EXPECT_LT(full.orientation.angularDistance(reduced.orientation), 1e-7) << h;
    EXPECT_GT((full.momentum - state.momentum).norm(), 0.1 * state.momentum.norm() * h) << h;
  }
}

}  // namespace
}  // namespace haptic
