#include "rt/coupling/dynamic_coupling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/limit_cycle_guard.h"
#include "shared/error.h"
#include "tests/rt/coupling/held_points.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

CouplingSettings loose(double k, double k_t) {
  CouplingSettings settings;
  settings.force = {k};
  settings.torque = {k_t};
  settings.max_step = settings.max_rotation = 1e300;
  return settings;
}

struct Body {
  Pose pose;
  Twist twist;
};

void step(const DynamicCoupling& dynamic, const CouplingSettings& settings, const Pose& hand,
          const TestContact& contact, Body& body) {
  const VirtualCoupling coupling(settings);
  ASSERT_EQ(dynamic.advance(settings, {}, coupling.simulated(hand, body.pose), contact.wrench,
                            contact.gradient, Matrix6::Zero(), body.pose, body.twist),
            CouplingStatus::kOk);
}

TEST(DynamicCoupling, free_motion_is_backward_euler_of_the_damped_oscillator) {
  // m v1 = m v0 + h (k (x_M - x1) - c v1): one unknown, solved by hand.
  const double h = 1e-3, m = 0.05, k = 400.0;
  const DynamicCoupling dynamic({m, 2e-5, 0.3}, h);
  const CouplingSettings settings = loose(k, 1.0);
  const double c = dynamic.damping(settings);
  EXPECT_NEAR(c, 2.0 * 0.3 * std::sqrt(k * m), 1e-12);
  Body body;
  const Pose hand{{0.01, 0.0, 0.0}};
  double x = 0.0, v = 0.0;
  for (int i = 0; i < 300; ++i) {
    step(dynamic, settings, hand, {}, body);
    v = (m * v + h * k * (0.01 - x)) / (m + h * c + h * h * k);
    x += h * v;
    ASSERT_NEAR(body.pose.position.x(), x, 1e-14);
    ASSERT_NEAR(body.twist.linear.x(), v, 1e-11);
  }
}

TEST(DynamicCoupling, reaches_the_equilibrium_of_the_static_coupling) {
  // In contact and turned: at rest both have no net wrench.
  const DynamicCoupling dynamic({0.05, 2e-5, 1.0}, 1e-3);
  const CouplingSettings settings = loose(400.0, 1.0);
  const VirtualCoupling coupling(settings);
  const std::vector<Vector3> corners = box_corners({0.01, 0.01, 0.01});
  Pose hand{{0.0, 0.0, 0.004}};
  hand.orientation = rotation_exponential({0.2, 0.1, 0.0});
  Body body{{{0.0, 0.0, 0.02}, Quaternion::Identity()}, {}};
  Pose still = body.pose;
  for (int i = 0; i < 3000; ++i) {
    step(dynamic, settings, hand, touch(corners, body.pose, half_space(), 1e3), body);
    const TestContact contact = touch(corners, still, half_space(), 1e3, true);
    ASSERT_EQ(coupling.advance(hand, coupling.simulated(hand, still), contact.wrench,
                               contact.gradient, still),
              CouplingStatus::kOk);
  }
  EXPECT_LE((body.pose.position - still.position).norm(), 1e-9);
  EXPECT_LE(rotation_logarithm(body.pose.orientation * still.orientation.conjugate()).norm(), 1e-8);
  EXPECT_LE(body.twist.linear.norm(), 1e-9);
}

TEST(DynamicCoupling, no_stiffness_makes_it_unstable) {
  // Explicit Euler fails beyond k > m / h^2 = 50 kN/m (without damper at once).
  for (const double k : {1e2, 1e4, 1e6, 1e9}) {
    const DynamicCoupling dynamic({0.05, 2e-5, 0.0}, 1e-3);
    Body body;
    const Pose hand{{0.01, 0.0, 0.0}, rotation_exponential({0.0, 0.5, 0.0})};
    double furthest = 0.0;
    for (int i = 0; i < 2000; ++i) {
      step(dynamic, loose(k, 1e-3 * k), hand, {}, body);
      furthest = std::max(furthest, (body.pose.position - hand.position).norm());
    }
    EXPECT_LE(furthest, 0.01 * (1.0 + 1e-9)) << k;
  }
}

TEST(DynamicCoupling, the_speed_limit_is_kept_and_limits_the_velocity_state) {
  const DynamicCoupling dynamic({0.05, 2e-5, 1.0}, 1e-3);
  CouplingSettings settings = loose(400.0, 1.0);
  settings.max_step = 0.6e-3;
  settings.max_rotation = 6e-3;
  Body body;
  const Pose hand{{0.5, 0.0, 0.0}, rotation_exponential({0.0, 2.0, 0.0})};
  for (int i = 0; i < 200; ++i) {
    const Pose before = body.pose;
    step(dynamic, settings, hand, {}, body);
    ASSERT_LE((body.pose.position - before.position).norm(), 0.6e-3 * (1.0 + 1e-12));
    ASSERT_LE(body.twist.linear.norm(), 0.6 * (1.0 + 1e-12));
    ASSERT_LE(body.twist.angular.norm(), 6.0 * (1.0 + 1e-12));
  }
}

TEST(DynamicCoupling, a_contact_damper_takes_the_new_speed) {
  // m v1 = m v0 + h (F - d v1) with F evaluated without the damper at v0.
  const double h = 1e-3, m = 0.05, d = 40.0;
  const DynamicCoupling dynamic({m, 2e-5, 0.0}, h);
  CouplingSettings settings = loose(1e-6, 1e-6);
  Matrix6 damping = Matrix6::Zero();
  damping(0, 0) = -d;
  Body body;
  body.twist.linear.x() = 0.2;
  Wrench contact;
  contact.force.x() = -d * 0.2;  // as the law evaluates it at the last speed
  ASSERT_EQ(dynamic.advance(settings, {}, VirtualCoupling(settings).simulated({}, {}), contact,
                            Matrix6::Zero(), damping, body.pose, body.twist),
            CouplingStatus::kOk);
  EXPECT_NEAR(body.twist.linear.x(), m * 0.2 / (m + h * d), 1e-9);
}

TEST(DynamicCoupling, bad_values_are_refused_and_survived) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(DynamicCoupling({0.0, 1.0, 1.0}, 1e-3), InputError);
  EXPECT_THROW(DynamicCoupling({1.0, nan, 1.0}, 1e-3), InputError);
  EXPECT_THROW(DynamicCoupling({1.0, 1.0, -1.0}, 1e-3), InputError);
  EXPECT_THROW(DynamicCoupling({1.0, 1.0, 1.0}, 0.0), InputError);
  const DynamicCoupling dynamic({}, 1e-3);
  Body body;
  Wrench broken;
  broken.force.y() = nan;
  const CouplingSettings settings = loose(400.0, 1.0);
  EXPECT_EQ(dynamic.advance(settings, {}, VirtualCoupling(settings).simulated({}, {}), broken,
                            Matrix6::Zero(), Matrix6::Zero(), body.pose, body.twist),
            CouplingStatus::kNotFinite);
  EXPECT_EQ(body.pose.position, Vector3(Vector3::Zero()));
}

TEST(DynamicCoupling, does_not_allocate) {
  const DynamicCoupling dynamic({}, 1e-3);
  const CouplingSettings settings = loose(400.0, 1.0);
  const VirtualCoupling coupling(settings);
  Body body;
  const NoAllocation guard;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(dynamic.advance(settings, {}, coupling.simulated({{0.1, 0.0, 0.0}}, body.pose), {},
                              Matrix6::Zero(), Matrix6::Zero(), body.pose, body.twist),
              CouplingStatus::kOk);
  }
}

TEST(HandCoupling, stiffness_at_the_hand_is_that_of_the_coupling_over_alpha) {
  // alpha = device length a simulated one = 1 / length_scale: k_VC / alpha at the hand; a body
  // at rest, the hand 1 mm off.
  for (const double alpha : {0.25, 0.5, 1.0, 2.0}) {
    HandCoupling law;
    law.stiffness = 300.0;
    law.rotational_stiffness = 1.0;
    law.length_scale = 1.0 / alpha;
    Pose hand;
    hand.position.x() = 1e-3;
    const Pose m = law.manipulandum(hand);
    EXPECT_NEAR(-law.wrench(m, {}, law.home, {}).force.x() / 1e-3, 300.0 / alpha, 1e-9);
    EXPECT_NEAR(law.stored(m, law.home), 0.5 * 300.0 / alpha * 1e-6, 1e-15);
  }
}

TEST(HandCoupling, stored_energy_is_the_work_of_the_hand) {
  HandCoupling law;
  law.stiffness = 300.0;
  law.rotational_stiffness = 2.0;
  law.length_scale = 2.0;
  double work = 0.0;
  Pose hand;
  constexpr int kSteps = 20000;
  for (int i = 0; i < kSteps; ++i) {  // midpoint rule along a helix
    const double ds = 1.0 / kSteps;
    Pose middle = hand;
    middle.position.x() += 0.5 * 0.03 * ds;
    middle.orientation = rotation_exponential({0.0, 0.0, 2.5 * (i + 0.5) * ds});
    const Wrench w = law.wrench(law.manipulandum(middle), {}, law.home, {});
    work -= w.force.x() * 0.03 * ds + w.torque.z() * 2.5 * ds;
    hand.position.x() += 0.03 * ds;
    hand.orientation = rotation_exponential({0.0, 0.0, 2.5 * (i + 1) * ds});
  }
  EXPECT_NEAR(law.stored(law.manipulandum(hand), law.home), work, 1e-8);
}

TEST(LimitCycleGuard, reversals_shorten_the_step_and_rest_lets_it_grow) {
  LimitCycleGuard guard(0.05);
  Vector6 step = Vector6::Zero();
  step[0] = 1e-3;
  for (int i = 0; i < 40; ++i) {
    guard.observe(step);
    step = -step;
  }
  EXPECT_EQ(guard.factor(), LimitCycleGuard::kMin);
  step *= 0.01;
  for (int i = 0; i < 1000; ++i) guard.observe(step);  // one way
  EXPECT_EQ(guard.factor(), 1.0);
}

TEST(LimitCycleGuard, a_settling_body_is_not_affected) {
  // Static damping of a stiff contact alternates too, but every step is shorter than the last.
  LimitCycleGuard guard(0.05);
  Vector6 step = Vector6::Zero();
  step[4] = 0.1;
  for (int i = 0; i < 100; ++i) {
    guard.observe(step);
    step *= -0.7;
    ASSERT_EQ(guard.factor(), 1.0);
  }
}

}  // namespace
}  // namespace haptic
