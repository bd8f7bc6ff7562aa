#include "rt/coupling/virtual_coupling.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <vector>

#include "shared/error.h"
#include "tests/rt/coupling/coupling_cycle.h"
#include "tests/rt/coupling/held_points.h"
#include "tests/rt/coupling/random_poses.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

TEST(VirtualCoupling, rendered_stiffness_theorem) {
  RandomPoses random(45);
  for (int i = 0; i < 500; ++i) {
    const double k_vc = random.number(10.0, 2000.0);
    Matrix3 J = Matrix3::Zero();
    const int planes = 1 + i % 6;
    for (int p = 0; p < planes; ++p) {
      const Vector3 n = random.direction();
      J -= random.number(1.0, 3000.0) * n * n.transpose();
    }
    // The rendered stiffness is what the hand feels when the SO stays in equilibrium.
    const Matrix3 A = J - k_vc * Matrix3::Identity();
    const Matrix3 rendered = -k_vc * (k_vc * A.inverse() + Matrix3::Identity());
    const Matrix3 symmetric = 0.5 * (rendered + rendered.transpose());
    const double norm_j =
        Eigen::SelfAdjointEigenSolver<Matrix3>(J).eigenvalues().cwiseAbs().maxCoeff();
    const double norm_r =
        Eigen::SelfAdjointEigenSolver<Matrix3>(symmetric).eigenvalues().cwiseAbs().maxCoeff();
    EXPECT_NEAR(norm_r, 1.0 / (1.0 / norm_j + 1.0 / k_vc), 1e-10 * k_vc);
    EXPECT_LE(norm_r, k_vc);
  }
}

TEST(VirtualCoupling, free_gap_shrinks_by_alpha_every_cycle) {
  for (const double alpha : {0.0, 0.3, 0.5, 0.9}) {
    CouplingSettings settings;
    settings.static_damping = alpha;
    settings.max_step = settings.max_rotation = kFar;
    const VirtualCoupling coupling(settings);
    const Pose hand{{0.03, -0.02, 0.05}, rotation_exponential({0.01, 0.02, -0.01})};
    Pose held;
    const double gap = (hand.position - held.position).norm();
    const double angle = hand.orientation.angularDistance(held.orientation);
    double expected = 1.0;
    for (int n = 1; n <= 30; ++n) {
      cycle(coupling, hand, TestContact{}, held);
      expected *= alpha;
      EXPECT_NEAR((hand.position - held.position).norm(), expected * gap, 1e-9 * gap);
      // The Newton step is 2 tan(theta/2) = theta + theta³/12: 5e-5 of theta at 0.024 rad.
      EXPECT_NEAR(rotation_logarithm(hand.orientation * held.orientation.conjugate()).norm(),
                  expected * angle, 1e-4 * angle);
    }
  }
}

TEST(VirtualCoupling, is_met_at_any_distance_of_a_saturated_coupling) {
  CouplingSettings settings;
  settings.force = {400.0, 0.1};  // r_lin = 0.125 mm
  settings.max_step = settings.max_rotation = kFar;
  const VirtualCoupling coupling(settings);
  const Pose hand{{0.03, -0.02, 0.05}};
  Pose held;
  const double gap = hand.position.norm();
  double expected = 1.0;
  for (int n = 1; n <= 30; ++n) {
    cycle(coupling, hand, TestContact{}, held);
    expected *= 0.5;
    EXPECT_NEAR((hand.position - held.position).norm(), expected * gap, 1e-9 * gap);
  }
}

TEST(VirtualCoupling, no_cycle_moves_further_than_the_limits) {
  RandomPoses random(49);
  CouplingSettings settings;
  settings.force = {400.0, 0.2};
  settings.max_step = 0.6e-3;
  settings.max_rotation = 6.2832e-3;
  const VirtualCoupling coupling(settings);
  const std::vector<Vector3> corners = box_corners(Vector3::Constant(0.03));
  Pose held, hand;
  double furthest = 0.0, widest = 0.0;
  for (int i = 0; i < 20000; ++i) {
    if (i % 50 == 0) hand = {random.vector(0.2), random.rotation()};  // teleports
    const Pose before = held;
    cycle(coupling, hand, touch(corners, held, half_space(), 2000.0), held);
    furthest = std::max(furthest, (held.position - before.position).norm());
    widest = std::max(widest,
                      rotation_logarithm(held.orientation * before.orientation.conjugate()).norm());
  }
  // The limits are exact; the differences of stored poses carry a few roundings of 0.2 m and of 1.
  EXPECT_LE(furthest, settings.max_step + 1e-16);
  EXPECT_LE(widest, settings.max_rotation + 1e-15);
  EXPECT_GE(furthest, 0.999 * settings.max_step);
  EXPECT_GE(widest, 0.999 * settings.max_rotation);
}

TEST(VirtualCoupling, the_hand_feels_the_linear_spring_the_simulation_a_saturated_one) {
  CouplingSettings settings;
  settings.force = {400.0, 0.2};
  settings.torque = {1.0, 0.02};
  const VirtualCoupling coupling(settings);
  double last = -1.0;
  for (double r = 0.0; r < 0.03; r += 1e-4) {
    const Pose hand{{-r, 0.0, 0.0}, rotation_exponential({0.0, 10.0 * r, 0.0})};
    const Pose held;
    const Wrench felt = on_hand(coupling, hand, held);
    EXPECT_NEAR(felt.force.x(), 400.0 * r, 1e-12);
    EXPECT_NEAR(felt.torque.y(), -std::sin(5.0 * r), 1e-12);
    EXPECT_GT(felt.force.x(), last);
    last = felt.force.x();
    const Wrench simulated = coupling.simulated(hand, held).wrench;
    EXPECT_LE(simulated.force.norm(), 0.2 + 1e-15);
    EXPECT_LE(simulated.torque.norm(), 0.02 + 1e-16);
  }
}

TEST(VirtualCoupling, a_value_that_is_not_finite_leaves_the_body_alone) {
  const VirtualCoupling coupling{CouplingSettings{}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Pose start{{0.1, 0.2, 0.3}, rotation_exponential({0.1, 0.0, 0.0})};
  Pose held = start;
  Wrench contact;
  contact.torque.y() = nan;
  const Pose hand;
  EXPECT_EQ(coupling.advance(hand, coupling.simulated(hand, held), contact, Matrix6::Zero(), held),
            CouplingStatus::kNotFinite);
  Matrix6 gradient = Matrix6::Zero();
  gradient(3, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(coupling.advance(hand, coupling.simulated(hand, held), Wrench{}, gradient, held),
            CouplingStatus::kNotFinite);
  Pose lost;
  lost.position.x() = nan;
  EXPECT_EQ(coupling.advance(lost, coupling.simulated(lost, held), Wrench{}, Matrix6::Zero(), held),
            CouplingStatus::kNotFinite);
  EXPECT_EQ(held.position, start.position);
  EXPECT_EQ(held.orientation.coeffs(), start.orientation.coeffs());
}

TEST(VirtualCoupling, refuses_settings_out_of_range) {
  const auto refused = [](auto change) {
    CouplingSettings settings;
    change(settings);
    VirtualCoupling coupling{CouplingSettings{}};
    EXPECT_FALSE(coupling.set_settings(settings));
    EXPECT_THROW(VirtualCoupling{settings}, InputError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](CouplingSettings& s) { s.force.stiffness = 0.0; });
  refused([](CouplingSettings& s) { s.force.stiffness = -1.0; });
  refused([&](CouplingSettings& s) { s.force.maximum = nan; });
  refused(
      [](CouplingSettings& s) { s.torque.stiffness = std::numeric_limits<double>::infinity(); });
  refused([](CouplingSettings& s) { s.static_damping = 1.0; });
  refused([](CouplingSettings& s) { s.static_damping = -0.1; });
  refused([](CouplingSettings& s) { s.max_step = 0.0; });
  refused([&](CouplingSettings& s) { s.max_rotation = nan; });
  refused([](CouplingSettings& s) { s.bounding_radius = 0.0; });
}

TEST(VirtualCoupling, a_cycle_does_not_allocate) {
  CouplingSettings settings;
  settings.force = {400.0, 0.2};
  const VirtualCoupling coupling(settings);
  Pose held;
  const Pose hand{{0.1, 0.0, 0.0}, rotation_exponential({0.0, 1.0, 0.0})};
  Matrix6 rank_one = Matrix6::Zero();
  rank_one(0, 0) = -1e6;  // stiff enough that the rest counts as degenerate: the SVD path
  NoAllocation guard;
  for (int i = 0; i < 100; ++i) {
    const CouplingLoad load = coupling.simulated(hand, held);
    ASSERT_EQ(coupling.advance(hand, load, Wrench{}, i % 2 ? rank_one : Matrix6::Zero(), held),
              CouplingStatus::kOk);
  }
}

}  // namespace
}  // namespace haptic
