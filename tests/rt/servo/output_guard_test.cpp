#include "rt/servo/output_guard.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ServoLimits limits_of(double force, double torque, double slew = kInfinity) {
  ServoLimits limits;
  limits.force = force;
  limits.torque = torque;
  limits.slew_N_per_s = slew;
  return limits;
}

TEST(OutputGuard, a_force_within_the_limits_passes_unchanged) {
  OutputGuard guard(limits_of(8.5, 0.5), 0.001);
  const Wrench wanted{{1.0, -2.0, 3.0}, {0.1, 0.2, -0.3}};
  const auto out = guard.shape(wanted, 1.0);
  EXPECT_EQ(out.fault, FaultKind::kNone);
  EXPECT_EQ(out.limited, 0u);
  EXPECT_EQ(out.wrench.force, wanted.force);
  EXPECT_EQ(out.wrench.torque, wanted.torque);
}

TEST(OutputGuard, magnitude_is_cut_and_direction_kept) {
  OutputGuard guard(limits_of(8.5, 0.5), 0.001);
  const auto out = guard.shape({{30.0, 40.0, 0.0}, {0.0, 0.0, -2.0}}, 1.0);
  EXPECT_EQ(out.limited, std::uint32_t{kLimitedForce | kLimitedTorque});
  EXPECT_TRUE(out.wrench.force.isApprox(Vector3(5.1, 6.8, 0.0), 1e-14));
  EXPECT_TRUE(out.wrench.torque.isApprox(Vector3(0.0, 0.0, -0.5), 1e-14));
}

TEST(OutputGuard, a_device_without_torque_limits_none) {
  OutputGuard guard(limits_of(8.5, 0.0), 0.001);
  const auto out = guard.shape({{1.0, 0.0, 0.0}, {0.0, 0.2, 0.0}}, 1.0);
  EXPECT_EQ(out.limited, 0u);
  EXPECT_EQ(out.wrench.force.x(), 1.0);
  EXPECT_EQ(out.wrench.torque.norm(), 0.0);
}

TEST(OutputGuard, ramp_scales_before_the_limit) {
  OutputGuard guard(limits_of(8.5, 0.5), 0.001);
  const auto out = guard.shape({{10.0, 0.0, 0.0}, Vector3::Zero()}, 0.25);
  EXPECT_EQ(out.limited, std::uint32_t{kLimitedRamp});
  EXPECT_EQ(out.wrench.force.x(), 2.5);
}

TEST(OutputGuard, slew_limits_the_change_per_second) {
  OutputGuard guard(limits_of(8.5, 0.5, 1000.0), 0.001);
  Wrench wanted{{5.0, 0.0, 0.0}, Vector3::Zero()};
  for (int k = 1; k <= 5; ++k) {
    EXPECT_NEAR(guard.shape(wanted, 1.0).wrench.force.x(), 1.0 * k, 1e-12);
  }
  EXPECT_EQ(guard.shape(wanted, 1.0).limited, 0u);
  wanted.force = -wanted.force;
  EXPECT_NEAR(guard.shape(wanted, 1.0).wrench.force.x(), 4.0, 1e-12);
  EXPECT_EQ(guard.zero().force.norm(), 0.0);  // to nothing at once
  EXPECT_NEAR(guard.shape(wanted, 1.0).wrench.force.x(), -1.0, 1e-12);
}

TEST(OutputGuard, a_lowered_limit_is_approached_at_the_slew_limit) {
  ServoLimits limits = limits_of(8.0, 0.5, 100.0);
  limits.torque_slew_Nm_per_s = 10.0;
  OutputGuard guard(limits, 0.001);
  const Wrench wanted{{9.0, 0.0, 0.0}, {0.0, 0.6, 0.0}};
  for (int k = 0; k < 100; ++k) (void)guard.shape(wanted, 1.0);
  guard.limits().force = 2.0;
  guard.limits().torque = 0.1;
  for (int k = 1; k <= 60; ++k) {
    const Wrench out = guard.shape(wanted, 1.0).wrench;
    ASSERT_NEAR(out.force.x(), 8.0 - 0.1 * k, 1e-12);
    ASSERT_NEAR(out.torque.y(), std::max(0.1, 0.5 - 0.01 * k), 1e-12);
  }
  EXPECT_NEAR(guard.shape(wanted, 1.0).wrench.force.x(), 2.0, 1e-12);
  // Nothing acts: the next force begins within the new limit.
  guard.limits().force = 0.05;
  (void)guard.zero();
  EXPECT_NEAR(guard.shape(wanted, 1.0).wrench.force.x(), 0.05, 1e-12);
  // Without a slew limit it is there at once.
  OutputGuard sudden(limits_of(8.5, 0.5), 0.001);
  (void)sudden.shape(wanted, 1.0);
  sudden.limits().force = 2.0;
  EXPECT_NEAR(sudden.shape(wanted, 1.0).wrench.force.x(), 2.0, 1e-12);
}

TEST(OutputGuard, a_missed_slot_allows_no_larger_step_and_counts_in_time) {
  ServoLimits limits = limits_of(8.5, 0.5, 100.0);
  limits.power = 1.0;
  limits.power_s = 0.0105;
  OutputGuard guard(limits, 0.001);
  const Wrench wanted{{5.0, 0.0, 0.0}, Vector3::Zero()};
  const OutputGuard::Step slipped{.elapsed_s = 0.010};
  EXPECT_NEAR(guard.shape(wanted, 1.0, {}, {}, slipped).wrench.force.x(), 0.1, 1e-12);
  EXPECT_NEAR(guard.shape(wanted, 1.0, {}, {}, slipped).wrench.force.x(), 0.2, 1e-12);
  // Cut for 10 ms in one output, then for one more: 11 ms in a row.
  const Twist fast{{50.0, 0.0, 0.0}, Vector3::Zero()};
  EXPECT_EQ(guard.shape(wanted, 1.0, {}, fast, slipped).fault, FaultKind::kNone);
  EXPECT_EQ(guard.shape(wanted, 1.0, {}, fast).fault, FaultKind::kPowerLimit);
}

TEST(OutputGuard, impulse_is_the_integral_of_the_force) {
  ServoLimits limits = limits_of(8.0, 0.5);
  limits.impulse = 4.0;  // N·s
  limits.impulse_window_s = 1.0;
  const auto seconds_to_fault = [&](double force, double dt) {
    OutputGuard guard(limits, 0.001);
    const Wrench wanted{{0.0, force, 0.0}, Vector3::Zero()};
    for (int k = 0; k < 100'000; ++k) {
      const auto out = guard.shape(wanted, 1.0, {}, {}, {.elapsed_s = dt});
      if (out.fault == FaultKind::kNone) continue;
      EXPECT_EQ(out.fault, FaultKind::kImpulseLimit);
      EXPECT_EQ(out.wrench.force, Vector3::Zero());
      return k * dt;
    }
    return ServoLimits::kNone;
  };
  EXPECT_NEAR(seconds_to_fault(8.0, 0.001), 0.5, 0.00101);  // half a second, and an output at most
  EXPECT_NEAR(seconds_to_fault(8.0, 0.010), 0.5, 0.0101);   // in time, not in outputs
  // The mean of 4 N over the window may act for ever but for the window's last part; more may not.
  EXPECT_EQ(seconds_to_fault(4.0 / (1.0 + 1.0 / 32) - 0.01, 0.001), ServoLimits::kNone);
  EXPECT_LE(seconds_to_fault(4.01, 0.001), 1.04);
}

TEST(OutputGuard, an_impulse_older_than_the_window_does_not_count) {
  ServoLimits limits = limits_of(8.0, 0.5);
  limits.impulse = 4.0;
  limits.impulse_window_s = 1.0;
  OutputGuard guard(limits, 0.001);
  const Wrench hard{{8.0, 0.0, 0.0}, Vector3::Zero()}, none;
  for (int burst = 0; burst < 5; ++burst) {
    for (int k = 0; k < 490; ++k) ASSERT_EQ(guard.shape(hard, 1.0).fault, FaultKind::kNone);
    for (int k = 0; k < 1040; ++k) ASSERT_EQ(guard.shape(none, 1.0).fault, FaultKind::kNone);
    ASSERT_EQ(guard.impulse(), 0.0);
  }
  for (int k = 0; k < 490; ++k) ASSERT_EQ(guard.shape(hard, 1.0).fault, FaultKind::kNone);
  (void)guard.zero();  // released: the sum is reset
  EXPECT_EQ(guard.impulse(), 0.0);
}

TEST(OutputGuard, power_may_be_bounded_for_one_output_without_a_fault) {
  ServoLimits limits = limits_of(8.5, 0.5, 1000.0);
  limits.power_s = 0.0;
  OutputGuard guard(limits, 0.001);
  const Wrench wanted{{4.0, 0.0, 0.0}, Vector3::Zero()}, none;
  for (int k = 0; k < 10; ++k) (void)guard.shape(wanted, 1.0);
  const Twist out{{0.5, 0.0, 0.0}, Vector3::Zero()};
  // The slew limit drags 3 N along; half a watt is 1 N at that speed.
  const auto bounded = guard.shape(none, 1.0, {}, out, {.most_power = 0.5});
  EXPECT_EQ(bounded.fault, FaultKind::kNone);
  EXPECT_NEAR(bounded.wrench.force.x(), 1.0, 1e-12);
  EXPECT_NE(bounded.limited & kLimitedPower, 0u);
  EXPECT_NEAR(guard.shape(wanted, 1.0, {}, out, {.most_power = 0.0}).wrench.force.x(), 0.0, 1e-12);
}

TEST(OutputGuard, a_value_that_is_not_finite_gives_zero_and_a_fault) {
  for (const double bad : {kNoNumber, kInfinity, -kInfinity}) {
    for (int component = 0; component < 6; ++component) {
      for (const double ramp : {0.0, 1.0}) {
        OutputGuard guard(limits_of(8.5, 0.5), 0.001);
        Wrench wanted{{1.0, 1.0, 1.0}, {0.1, 0.1, 0.1}};
        (component < 3 ? wanted.force[component] : wanted.torque[component - 3]) = bad;
        const auto out = guard.shape(wanted, ramp);
        EXPECT_EQ(out.fault, FaultKind::kWrenchNotFinite);
        EXPECT_EQ(out.wrench.force, Vector3::Zero());
        EXPECT_EQ(out.wrench.torque, Vector3::Zero());
      }
    }
  }
  OutputGuard guard(limits_of(8.5, 0.5), 0.001);
  EXPECT_EQ(guard.shape({{1.0, 0.0, 0.0}, Vector3::Zero()}, kNoNumber).fault,
            FaultKind::kWrenchNotFinite);
  EXPECT_EQ(guard.shape({{1.0, 0.0, 0.0}, Vector3::Zero()}, 1.5).fault,
            FaultKind::kWrenchNotFinite);
}

TEST(OutputGuard, any_wanted_output_stays_within_the_limits) {
  EXPECT_TRUE(rc::check("any doubles, in sequence", [] {
    const double force = *rc::gen::map(rc::gen::inRange(0, 2000), [](int n) { return n * 0.01; });
    const double slew = *rc::gen::element(kInfinity, 1000.0, 1.0);
    OutputGuard guard(limits_of(force, 0.5, slew), 0.001);
    for (int cycle = 0; cycle < 8; ++cycle) {
      Wrench wanted;
      for (int i = 0; i < 3; ++i) {
        wanted.force[i] = *rc::gen::arbitrary<double>();
        wanted.torque[i] = *rc::gen::arbitrary<double>();
      }
      const double ramp = *rc::gen::map(rc::gen::inRange(0, 101), [](int n) { return n * 0.01; });
      const auto out = guard.shape(wanted, ramp);
      RC_ASSERT(is_finite(out.wrench));
      // Rounding of norm and scaling.
      RC_ASSERT(out.wrench.force.norm() <= force * (1.0 + 1e-12));
      RC_ASSERT(out.wrench.torque.norm() <= 0.5 * (1.0 + 1e-12));
      if (!is_finite(wanted)) RC_ASSERT(out.fault == FaultKind::kWrenchNotFinite);
    }
  }));
}

TEST(OutputGuard, torque_has_a_separate_slew_limit) {
  ServoLimits limits = limits_of(8.5, 0.5);
  limits.torque_slew_Nm_per_s = 100.0;
  OutputGuard guard(limits, 0.001);
  const Wrench wanted{{5.0, 0.0, 0.0}, {0.0, 0.5, 0.0}};
  for (int k = 1; k <= 5; ++k) {
    const auto out = guard.shape(wanted, 1.0);
    EXPECT_EQ(out.wrench.force.x(), 5.0);
    EXPECT_NEAR(out.wrench.torque.y(), 0.1 * k, 1e-12);
  }
  EXPECT_EQ(guard.shape(wanted, 1.0).limited, 0u);
}

TEST(OutputGuard, power_into_the_hand_is_cut_and_braking_is_not) {
  ServoLimits limits = limits_of(8.5, 0.5);
  limits.power = 2.0;
  OutputGuard guard(limits, 0.001);
  const Wrench wanted{{4.0, 0.0, 0.0}, {0.0, 0.0, 0.2}};
  const Twist slow{{0.25, 0.0, 0.0}, {0.0, 0.0, 5.0}};  // 1 W + 1 W: just allowed
  EXPECT_EQ(guard.shape(wanted, 1.0, {}, slow).limited, 0u);
  const Twist fast{{0.5, 0.0, 0.0}, {0.0, 0.0, 10.0}};  // 4 W: half of both
  const auto out = guard.shape(wanted, 1.0, {}, fast);
  EXPECT_EQ(out.limited, std::uint32_t{kLimitedPower});
  EXPECT_NEAR(out.wrench.force.x(), 2.0, 1e-12);
  EXPECT_NEAR(out.wrench.torque.z(), 0.1, 1e-12);
  const Twist away{{-5.0, 0.0, 0.0}, {0.0, 0.0, -50.0}};
  EXPECT_EQ(guard.shape(wanted, 1.0, {}, away).limited, 0u);
}

TEST(OutputGuard, power_that_must_be_cut_for_too_long_is_a_fault) {
  ServoLimits limits = limits_of(8.5, 0.5);
  limits.power = 1.0;
  limits.power_s = 0.0105;
  OutputGuard guard(limits, 0.001);
  const Wrench wanted{{4.0, 0.0, 0.0}, Vector3::Zero()};
  const Twist fast{{0.5, 0.0, 0.0}, Vector3::Zero()};
  for (int k = 0; k < 10; ++k)
    ASSERT_EQ(guard.shape(wanted, 1.0, {}, fast).fault, FaultKind::kNone);
  ASSERT_EQ(guard.shape(wanted, 1.0).fault,
            FaultKind::kNone);  // one cycle without: the count is reset
  for (int k = 0; k < 10; ++k)
    ASSERT_EQ(guard.shape(wanted, 1.0, {}, fast).fault, FaultKind::kNone);
  const auto out = guard.shape(wanted, 1.0, {}, fast);
  EXPECT_EQ(out.fault, FaultKind::kPowerLimit);
  EXPECT_EQ(out.wrench.force, Vector3::Zero());
}

TEST(OutputGuard, power_stays_within_its_limit_for_any_hand_and_world) {
  EXPECT_TRUE(rc::check("any wrench, any finite twist", [] {
    ServoLimits limits = limits_of(8.5, 0.5);
    limits.power = *rc::gen::inRange(0, 100) * 0.1;
    OutputGuard guard(limits, 0.001);
    Wrench wanted;
    Twist twist;
    for (int i = 0; i < 3; ++i) {
      wanted.force[i] = *rc::gen::arbitrary<double>();
      wanted.torque[i] = *rc::gen::arbitrary<double>();
      twist.linear[i] = *rc::gen::arbitrary<double>();
      twist.angular[i] = *rc::gen::arbitrary<double>();
    }
    const auto out = guard.shape(wanted, 1.0, {}, twist);
    const double given = out.wrench.force.dot(twist.linear) + out.wrench.torque.dot(twist.angular);
    const double size =
        8.5 * twist.linear.norm() + 0.5 * twist.angular.norm();  // what rounding is relative to
    RC_ASSERT(out.fault != FaultKind::kNone || given <= limits.power + 1e-12 * size);
  }));
}

TEST(OutputGuard, excess_speed_and_distance_are_reported) {
  ServoLimits limits;
  limits.speed = 1.0;
  limits.workspace_radius = 0.1;
  const OutputGuard guard(limits, 0.001);
  DeviceState hand;
  EXPECT_EQ(guard.check_hand(hand), FaultKind::kNone);
  hand.twist.linear = {0.8, 0.8, 0.0};
  EXPECT_EQ(guard.check_hand(hand), FaultKind::kSpeedLimit);
  hand.twist.linear.setZero();
  ServoLimits turning;
  turning.angular_speed = 6.0;
  hand.twist.angular = {0.0, 6.1, 0.0};
  EXPECT_EQ(guard.check_hand(hand), FaultKind::kNone);
  EXPECT_EQ(OutputGuard(turning, 0.001).check_hand(hand), FaultKind::kSpeedLimit);
  hand.twist.angular.setZero();
  hand.pose.position = {0.0, 0.0, -0.11};
  EXPECT_EQ(guard.check_hand(hand), FaultKind::kWorkspaceLimit);
  hand.pose.position = {0.0, 0.0, kNoNumber};
  EXPECT_EQ(guard.check_hand(hand), FaultKind::kWorkspaceLimit);
  DeviceState anywhere;
  anywhere.pose.position = {1e3, 0.0, 0.0};
  EXPECT_EQ(OutputGuard(ServoLimits{}, 0.001).check_hand(anywhere), FaultKind::kNone);
}

}  // namespace
}  // namespace haptic
