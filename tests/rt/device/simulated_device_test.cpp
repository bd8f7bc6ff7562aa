#include "rt/device/simulated_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rt/device/replay_device.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

HandScript line_script() {
  Pose end;
  end.position = {0.1, 0.0, 0.2};
  end.orientation = rotation_exponential({0.0, 0.0, 0.5});
  return HandScript({{0.0, Pose{}}, {0.5, end}});
}

TEST(SimulatedDevice, its_time_is_the_count_of_its_exchanges) {
  SimulatedDevice device(line_script(), 3000.0);
  for (int k = 0; k < 2000; ++k) {
    DeviceState state;
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate(Wrench{}), DeviceStatus::kOk);
    const Pose expected = line_script().pose(k / 3000.0);
    ASSERT_EQ(state.pose.position, expected.position);
    ASSERT_EQ(state.pose.orientation.coeffs(), expected.orientation.coeffs());
    ASSERT_EQ(state.twist.linear, line_script().twist(k / 3000.0).linear);
  }
}

TEST(SimulatedDevice, presses_the_buttons_of_its_script_and_the_enabling_one) {
  const HandScript script({{0.0, Pose{}, 0}, {0.1, Pose{}, 0b100}, {0.2, Pose{}, 0b001}});
  SimulatedHardware hardware;
  hardware.enable_button = 1;
  SimulatedDevice device(script, 1000.0, {}, {}, hardware);
  for (int k = 0; k < 300; ++k) {
    DeviceState state;
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate(Wrench{}), DeviceStatus::kOk);
    ASSERT_EQ(state.buttons, k < 100 ? 0b010U : k < 200 ? 0b110U : 0b011U) << k;
  }
}

TEST(SimulatedDevice, a_fault_releases_the_enabling_button_that_the_script_holds) {
  SimulatedHardware hardware;
  hardware.enable_button = 1;
  hardware.faults = {{.kind = DeviceFaultKind::kButton, .at = 0.05, .lasts = 0.05}};
  SimulatedDevice device(HandScript({{0.0, Pose{}, 0b110}}), 1000.0, {}, {}, hardware);
  for (int k = 0; k < 150; ++k) {
    DeviceState state;
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate(Wrench{}), DeviceStatus::kOk);
    ASSERT_EQ(state.buttons, k >= 50 && k < 100 ? 0b100U : 0b110U) << k;
  }
}

TEST(ReplayDevice, presses_the_buttons_of_the_recording) {
  ReplayDevice device({Pose{}, Pose{}, Pose{}}, 1000.0, 0, {0b100, 0b010, 0b001});
  DeviceState state;
  for (const std::uint32_t expected : {0b101U, 0b011U, 0b001U}) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    EXPECT_EQ(state.buttons, expected);
  }
}

TEST(SimulatedDevice, a_scripted_hand_does_not_yield) {
  SimulatedDevice device(HandScript(), 1000.0);
  DeviceState state;
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate({{5.0, 0.0, 0.0}, {0.0, 0.1, 0.0}}), DeviceStatus::kOk);
  }
  EXPECT_EQ(state.pose.position, Vector3(Vector3::Zero()));
}

TEST(SimulatedDevice, a_free_handle_moves_exactly_between_samples) {
  // m x'' + b x' = f has x(t) = v0 m/b (1 - e) + f/b (t - m/b (1 - e)), e = exp(-b t / m): the same
  // at any rate, since the force is held.
  Pose start;
  Pose later;
  later.position = {0.05, 0.0, 0.0};
  const HandScript thrown({{0.0, start}, {1.0, later}});  // 0.05 m/s
  HandSettings hand{HandKind::kFree, 0.2, 0.0, 0.5};
  hand.push = {0.0, 0.0, -1.0};
  for (const double rate : {100.0, 1000.0, 8000.0}) {
    for (const double damping : {0.5, 1e-9, 0.0}) {
      hand.damping = damping;
      SimulatedDevice device(thrown, rate, hand);
      DeviceState state;
      const int cycles = static_cast<int>(0.5 * rate);
      for (int k = 0; k <= cycles; ++k) {
        ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
        ASSERT_EQ(device.actuate({{0.0, 0.3, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
      }
      const double t = 0.5, c = damping / hand.mass;
      const double reach = c * t > 1e-6 ? -std::expm1(-c * t) / c : t;
      const double way = c * t > 1e-6 ? (t - reach) / c : 0.5 * t * t;
      // 1e-10: damping 1e-9 against none.
      EXPECT_NEAR(state.pose.position.x(), 0.05 * reach, 1e-10);
      EXPECT_NEAR(state.pose.position.y(), 0.3 / hand.mass * way, 1e-8);
      EXPECT_NEAR(state.pose.position.z(), -1.0 / hand.mass * way, 1e-8);
    }
  }
}

TEST(SimulatedDevice, encoders_count_in_steps_and_speed_is_their_difference) {
  const EncoderSettings encoder{40e-6, 1e-3};
  SimulatedDevice device(line_script(), 1000.0, {}, encoder);
  Pose before;
  for (int k = 0; k < 500; ++k) {
    DeviceState state;
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    const Pose exact = line_script().pose(k / 1000.0);
    ASSERT_LE((state.pose.position - exact.position).cwiseAbs().maxCoeff(), 20.0001e-6);
    const double counts = state.pose.position.x() / encoder.step;
    ASSERT_NEAR(counts, std::round(counts), 1e-9);
    const double turns = rotation_logarithm(state.pose.orientation).z() / encoder.angle;
    ASSERT_NEAR(turns, std::round(turns), 1e-9);
    if (k > 0) {
      ASSERT_NEAR(state.twist.linear.z(), 1000.0 * (state.pose.position - before.position).z(),
                  1e-12);
    }
    before = state.pose;
  }
}

TEST(SimulatedDevice, a_spring_damper_hand_rests_where_spring_and_force_agree) {
  const HandSettings hand{HandKind::kSpringDamper, 0.3, 300.0, 15.0};
  SimulatedDevice device(HandScript(), 1000.0, hand);
  const Wrench push{{1.5, 0.0, -0.6}, {0.0, 0.15, 0.0}};
  DeviceState state;
  for (int k = 0; k < 3000; ++k) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate(push), DeviceStatus::kOk);
  }
  // Decay rate c / 2m = 25 1/s: after 3 s what is left is below the rounding.
  EXPECT_LE((state.pose.position - push.force / 300.0).norm(), 1e-12);
  const double rotational = 300.0 * kHandGyrationRadius * kHandGyrationRadius;
  EXPECT_LE((rotation_logarithm(state.pose.orientation) - push.torque / rotational).norm(), 1e-9);
  EXPECT_LE(state.twist.linear.norm(), 1e-12);
}

TEST(SimulatedDevice, a_spring_damper_hand_oscillates_as_the_oscillator_it_is) {
  const double m = 0.5, k = 200.0, c = 2.0, rate = 1e5;
  SimulatedDevice device(HandScript(), rate, {HandKind::kSpringDamper, m, k, c});
  // Under a constant force F from rest: x = F/k (1 - e^(-dt) (cos wt + d/w sin wt)).
  const double decay = c / (2 * m), omega = std::sqrt(k / m - decay * decay), force = 2.0;
  DeviceState state;
  for (int n = 0; n <= 50000; ++n) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate({{force, 0.0, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
    const double t = n / rate;
    const double exact =
        force / k *
        (1 - std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t)));
    // First order in dt = 1e-5 s: amplitude 1e-2 m, relative error about omega² dt t / 2 = 1e-3.
    ASSERT_NEAR(state.pose.position.x(), exact, 3e-5);
  }
}

TEST(SimulatedDevice, a_spring_damper_hand_follows_the_script) {
  SimulatedDevice device(line_script(), 1000.0, {HandKind::kSpringDamper, 0.3, 300.0, 15.0});
  DeviceState state;
  for (int k = 0; k < 3000; ++k) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate(Wrench{}), DeviceStatus::kOk);
  }
  EXPECT_LE((state.pose.position - Vector3(0.1, 0.0, 0.2)).norm(), 1e-12);
  EXPECT_NEAR(rotation_logarithm(state.pose.orientation).z(), 0.5, 1e-12);
}

TEST(SimulatedDevice, stable_for_any_spring_stiffness) {
  SimulatedDevice device(line_script(), 100.0, {HandKind::kSpringDamper, 0.01, 1e6, 1e4});
  DeviceState state;
  for (int k = 0; k < 500; ++k) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate({{8.5, 0.0, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
    ASSERT_LE(state.pose.position.norm(), 0.3);
  }
}

TEST(SimulatedDevice, a_force_that_is_not_finite_is_reported_and_not_felt) {
  SimulatedDevice device(HandScript(), 1000.0, {HandKind::kSpringDamper, 0.3, 300.0, 15.0});
  DeviceState state;
  ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
  Wrench wrench;
  wrench.force.y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(device.actuate(wrench), DeviceStatus::kBadValue);
  EXPECT_EQ(device.sense(state), DeviceStatus::kOk);
  EXPECT_EQ(state.pose.position, Vector3(Vector3::Zero()));
}

TEST(SimulatedDevice, refuses_settings_out_of_range) {
  EXPECT_THROW(SimulatedDevice(HandScript(), 0.0), InputError);
  EXPECT_THROW(SimulatedDevice(HandScript(), 1e3, {HandKind::kSpringDamper, 0.0, 1.0, 1.0}),
               InputError);
  EXPECT_THROW(SimulatedDevice(HandScript(), 1e3, {HandKind::kSpringDamper, 1.0, -1.0, 1.0}),
               InputError);
  EXPECT_THROW(SimulatedDevice(
                   HandScript(), 1e3,
                   {HandKind::kSpringDamper, 1.0, 1.0, std::numeric_limits<double>::quiet_NaN()}),
               InputError);
}

TEST(SimulatedDevice, an_exchange_does_not_allocate) {
  SimulatedDevice scripted(line_script(), 1000.0);
  SimulatedDevice soft(line_script(), 1000.0, {HandKind::kSpringDamper, 0.3, 300.0, 15.0});
  DeviceState state;
  bool ok = true;
  NoAllocation guard;
  for (int k = 0; k < 1000; ++k) {
    ok = ok && scripted.sense(state) == DeviceStatus::kOk &&
         scripted.actuate(Wrench{}) == DeviceStatus::kOk;
    ok =
        ok && soft.sense(state) == DeviceStatus::kOk && soft.actuate(Wrench{}) == DeviceStatus::kOk;
  }
  EXPECT_TRUE(ok);
}

TEST(ReplayDevice, replays_poses_bit_for_bit_and_reports_the_end) {
  std::vector<Pose> poses(10);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double t = 0.1 * static_cast<double>(i);
    poses[i] = {{t, std::sin(t), 0.0}, rotation_exponential({0.0, t, 0.0})};
  }
  ReplayDevice device(poses, 1000.0);
  DeviceState state;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    EXPECT_EQ(state.pose.position, poses[i].position);
    EXPECT_EQ(state.pose.orientation.coeffs(), poses[i].orientation.coeffs());
    ASSERT_EQ(device.actuate(Wrench{}), DeviceStatus::kOk);
  }
  EXPECT_NEAR(state.twist.angular.y(), 100.0, 1e-9);
  EXPECT_EQ(device.sense(state), DeviceStatus::kEndOfScript);
  EXPECT_EQ(state.pose.position, poses.back().position);
  EXPECT_EQ(state.twist.linear, Vector3(Vector3::Zero()));
}

TEST(ReplayDevice, refuses_an_invalid_recording) {
  EXPECT_THROW(ReplayDevice({}, 1000.0), InputError);
  EXPECT_THROW(ReplayDevice({Pose{}}, -1.0), InputError);
  Pose lost;
  lost.orientation = Quaternion(0.0, 0.0, 0.0, 0.0);
  EXPECT_THROW(ReplayDevice({lost}, 1000.0), InputError);
}

}  // namespace
}  // namespace haptic
