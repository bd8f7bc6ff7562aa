// The derivatives of the published contact of two bodies (Xu, Zhao & Barbic 2014, section 4).
#include "lab/multibody/pair_contact.h"

#include <gtest/gtest.h>

#include <functional>

#include "lab/multibody/momentum_step.h"

namespace haptic {
namespace {

/// A ball's field on A, and a point on B with a normal that is not the field's gradient.
struct TwoBodies {
  RigidProperties properties[2] = {
      {1.3, Vector3::Zero(), Vector3(0.02, 0.03, 0.025).asDiagonal()},
      {0.7, Vector3::Zero(), Vector3(0.012, 0.008, 0.015).asDiagonal()}};
  RigidState state[2];
  Vector3 centre{0.01, 0.02, -0.01};  // of the ball, frame of A
  double radius = 0.2;
  Vector3 rest{-0.05, -0.16, 0.03};  // of the point, frame of B
  Vector3 normal = Vector3(0.3, 1.0, -0.2).normalized();
  double damping = 40.0;

  TwoBodies() {
    state[0] = {{0.02, 0.0, 0.01},
                rotation_exponential({0.3, -0.2, 0.5}),
                {0.4, -0.3, 0.2},
                {0.05, 0.02, -0.04}};
    state[1] = {{0.03, 0.3, 0.02},
                rotation_exponential({-0.1, 0.4, 0.2}),
                {-0.2, -0.6, 0.1},
                {-0.02, 0.03, 0.01}};
  }

  PairWrench wrench(PairGradient gradient) const {
    PairBody bodies[2];
    for (int i = 0; i < 2; ++i) {
      const MomentumKinematics at(properties[i], state[i], 1e-3);
      bodies[i] = {state[i].centre, at.v(), at.w(), at.w_by_turn()};
    }
    const Vector3 position = state[1].centre + state[1].orientation * rest;
    const Vector3 from_ball = position - (state[0].centre + state[0].orientation * centre);
    PairWrench sum;
    sum.add({.position = position,
             .normal = state[1].orientation * normal,
             .gradient = from_ball.normalized(),
             .distance = from_ball.norm() - radius,
             .stiffness = 3e3,
             .damping = damping},
            bodies[0], bodies[1], gradient);
    return sum;
  }
};

TEST(PairContact, derivatives_are_those_of_differences) {
  const TwoBodies now;
  const PairWrench exact = now.wrench(PairGradient::kExact);
  ASSERT_GT(exact.value[0].head<3>().norm(), 10.0);
  constexpr double kDelta = 1e-6;
  const auto check = [&](std::size_t j, int column, const PairWrench::Blocks& blocks,
                         const std::function<void(RigidState&, double)>& change) {
    TwoBodies more, less;
    change(more.state[j], kDelta);
    change(less.state[j], -kDelta);
    const PairWrench above = more.wrench(PairGradient::kNone),
                     below = less.wrench(PairGradient::kNone);
    for (std::size_t i = 0; i < 2; ++i) {
      const Vector6 slope = (above.value[i] - below.value[i]) / (2.0 * kDelta);
      EXPECT_LT((slope - blocks[i][j].col(column)).norm(), 1e-7 * blocks[i][j].norm())
          << i << j << column;
    }
  };
  for (std::size_t j = 0; j < 2; ++j) {
    const Matrix3 R = now.state[j].orientation.toRotationMatrix();
    const Matrix3 inertia = R * now.properties[j].inertia * R.transpose();
    for (int k = 0; k < 3; ++k) {
      const Vector3 e = Vector3::Unit(k);
      check(j, k, exact.by_pose, [&](RigidState& s, double d) { s.centre += d * e; });
      check(j, 3 + k, exact.by_pose, [&](RigidState& s, double d) {
        s.orientation = rotation_exponential(d * e) * s.orientation;
      });
      check(j, k, exact.by_velocity,
            [&](RigidState& s, double d) { s.momentum += now.properties[j].mass * d * e; });
      check(j, 3 + k, exact.by_velocity,
            [&](RigidState& s, double d) { s.angular_momentum += inertia * (d * e); });
    }
  }
}

TEST(PairContact, a_common_motion_turns_the_force_and_rotations_of_the_bodies_differ) {
  TwoBodies now;
  now.damping = 0.0;
  const PairWrench exact = now.wrench(PairGradient::kExact);
  const Vector3 force = exact.value[0].head<3>();
  const auto block = [&](std::size_t j) { return exact.by_pose[0][j].topRows<3>(); };
  for (int k = 0; k < 3; ++k) {
    const Vector3 turn = Vector3::Unit(k);
    Vector3 change = Vector3::Zero();
    for (std::size_t j = 0; j < 2; ++j) {
      change +=
          block(j).leftCols<3>() * turn.cross(now.state[j].centre) + block(j).rightCols<3>() * turn;
    }
    EXPECT_LT((change - turn.cross(force)).norm(), 1e-12 * block(0).norm()) << k;
  }
  EXPECT_LT((block(0).leftCols<3>() + block(1).leftCols<3>()).norm(), 1e-12 * block(0).norm());
  EXPECT_GT((block(0).rightCols<3>() + block(1).rightCols<3>()).norm(), 0.1 * force.norm());
}

TEST(PairContact, approximations_leave_out_what_they_say) {
  TwoBodies now;
  now.damping = 0.0;
  const PairWrench exact = now.wrench(PairGradient::kExact),
                   fixed = now.wrench(PairGradient::kFixedNormal),
                   symmetric = now.wrench(PairGradient::kNormalNoTurns);
  const Vector3 force = exact.value[0].head<3>();
  const Matrix6 missing = exact.by_pose[0][1] - fixed.by_pose[0][1];
  EXPECT_LT((missing.topRightCorner<3, 3>() + skew(force)).norm(), 1e-12 * force.norm());
  EXPECT_EQ((exact.by_pose[0][0] - fixed.by_pose[0][0]).norm(), 0.0);
  Eigen::Matrix<double, 12, 12> all;
  all << symmetric.by_pose[0][0], symmetric.by_pose[0][1], symmetric.by_pose[1][0],
      symmetric.by_pose[1][1];
  EXPECT_LT((all - all.transpose()).norm(), 1e-12 * all.norm());
  // With the normal of the point along the gradient, its approximation is exact.
  const Vector3 position = now.state[1].centre + now.state[1].orientation * now.rest;
  const Vector3 out = position - (now.state[0].centre + now.state[0].orientation * now.centre);
  now.normal = now.state[1].orientation.conjugate() * out.normalized();
  const PairWrench along = now.wrench(PairGradient::kNormal),
                   all_of_it = now.wrench(PairGradient::kExact);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_LT((along.by_pose[i][j] - all_of_it.by_pose[i][j]).norm(),
                1e-12 * all_of_it.by_pose[i][j].norm());
    }
  }
}

}  // namespace
}  // namespace haptic
