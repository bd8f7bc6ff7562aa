#include "rt/device/falcon/falcon_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "lab/samples/spring_wall.h"
#include "rt/device/falcon/speed_estimate.h"
#include "rt/servo/haptic_cycle.h"
#include "shared/error.h"
#include "tests/rt/device/falcon/falcon_rig.h"

namespace haptic {
namespace {

TEST(FalconDevice, reports_its_capabilities) {
  const FalconRig rig;
  const DeviceCapabilities& can = rig.falcon.capabilities();
  EXPECT_EQ(can.name, "novint-falcon");
  EXPECT_EQ(can.sensed_freedoms, 3);
  EXPECT_EQ(can.actuated_freedoms, 3);
  EXPECT_TRUE(can.needs_homing);
  // docs/methods/devices.md, "Reference positions": 37.7 um a count at z = 0.11.
  FalconSettings settings = shipped_settings();
  settings.centre = {0, 0, 0.11};
  EXPECT_NEAR(FalconDevice(settings, 1000.0).capabilities().resolution, 37.7e-6, 0.05e-6);
}

TEST(FalconDevice, reports_the_grip_and_the_buttons) {
  FalconRig rig;
  const Vector3 grip{.03, -.02, .12};
  rig.hold(grip);
  rig.device.buttons = 0b0101;
  rig.run(0.05);
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
  EXPECT_TRUE(rig.state.homed);
  EXPECT_EQ(rig.state.buttons, 0b0101U);
  // Half a count on each of three joints.
  EXPECT_LT((rig.state.pose.position - (grip - rig.settings.centre)).norm(), 40e-6);
  EXPECT_EQ(rig.state.twist.linear, Vector3(Vector3::Zero()));
}

TEST(FalconDevice, force_reaches_the_hand) {
  FalconRig rig;
  for (const Vector3& force : {Vector3(0, 0, 2), Vector3(1.5, -1, -1), Vector3(-2, 2, .5)}) {
    rig.hold(rig.settings.centre + Vector3(.02, -.01, .015));
    rig.force = force;
    rig.engaged = false;
    rig.start();
    ASSERT_TRUE(rig.engaged);
    // Half a unit of 1e-4 N·m on each joint, by some 25 rad/m.
    EXPECT_LT((rig.felt() - force).norm(), 3e-3);
  }
}

TEST(FalconDevice, exerts_no_force_before_it_is_homed_and_engaged) {
  FalconRig rig;
  const FalconLights& lights = rig.settings.lights;
  rig.force = {0, 0, 3};
  rig.device.homed = 0b011;
  rig.start();
  EXPECT_FALSE(rig.state.homed);
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
  EXPECT_EQ(rig.state.pose.position, Vector3(Vector3::Zero()));
  EXPECT_TRUE(rig.motors_off());
  EXPECT_EQ(rig.device.leds(), lights.bits(lights.homing));
  rig.hold(rig.settings.centre);
  rig.run(0.05);
  EXPECT_TRUE(rig.state.homed);
  EXPECT_TRUE(rig.motors_off());
  EXPECT_EQ(rig.device.leds(), lights.bits(lights.ready));
  rig.start();
  EXPECT_FALSE(rig.motors_off());
  EXPECT_EQ(rig.device.leds(), lights.bits(lights.engaged));
  // Homing lost under way: the coordinate system is about to move.
  rig.device.homed = 0b101;
  rig.run(0.005);
  EXPECT_FALSE(rig.engaged);
  EXPECT_TRUE(rig.motors_off());
}

TEST(FalconDevice, a_servo_error_does_not_bypass_homing_and_enabling) {
  FalconRig rig;
  rig.force = {0, 0, 3};
  rig.servo_errs = true;
  rig.run(0.05);
  EXPECT_TRUE(rig.motors_off());  // homed, not enabled
  rig.engaged = true;
  rig.run(0.05);
  EXPECT_FALSE(rig.motors_off());
  rig.device.homed = 0b110;
  rig.run(0.05);
  EXPECT_TRUE(rig.motors_off());  // enabled, not homed
}

TEST(FalconDevice, homing_again_is_not_an_encoder_jump) {
  FalconRig rig;
  rig.run(0.05);
  rig.device.homed = 0;
  rig.run(0.005);
  rig.hold(rig.settings.centre + Vector3(.04, -.02, .01));
  for (int k = 0; k < 20; ++k) {
    rig.run(0.001);
    EXPECT_EQ(rig.status, DeviceStatus::kOk);
    EXPECT_EQ(rig.state.twist.linear, Vector3(Vector3::Zero()));
  }
}

TEST(FalconDevice, homing_moves_the_zero_without_a_jump_of_speed) {
  FalconRig rig;
  rig.device.homed = 0;
  rig.device.encoders = {9000, -9000, 4000};
  rig.run(0.05);
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
  rig.hold(rig.settings.centre);
  for (int k = 0; k < 20; ++k) {
    rig.run(0.001);
    EXPECT_EQ(rig.status, DeviceStatus::kOk);
    EXPECT_EQ(rig.state.twist.linear, Vector3(Vector3::Zero()));
  }
  EXPECT_TRUE(rig.state.homed);
}

TEST(FalconDevice, reports_the_speed_of_a_moving_hand) {
  FalconRig rig;
  const Vector3 velocity{.08, -.05, .1};
  rig.run(0.02);
  const double begin = 1e-9 * static_cast<double>(rig.bus.now_ns());
  Vector3 error = Vector3::Zero();
  for (int k = 0; k < 300; ++k) {
    const double t = 1e-9 * static_cast<double>(rig.bus.now_ns()) - begin;
    rig.hold(rig.settings.centre + (t - .15) * velocity);
    rig.run(0.0009);
    if (k > 30) error = error.cwiseMax((rig.state.twist.linear - velocity).cwiseAbs());
  }
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
  // One count (37 um) of each end of a window of 4 ms and more, on three joints; a plain difference
  // would be off by 37 um / 1 ms.
  EXPECT_LT(error.maxCoeff(), 0.02);
}

TEST(FalconDevice, values_that_are_not_finite_do_not_reach_a_motor) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  ASSERT_FALSE(rig.motors_off());
  rig.force.x() = std::numeric_limits<double>::quiet_NaN();
  rig.run(0.005);
  EXPECT_FALSE(rig.engaged);
  EXPECT_TRUE(rig.motors_off());
}

TEST(FalconDevice, torque_stays_within_the_motors_limits) {
  FalconRig rig;
  rig.force = {500, -700, 900};
  rig.start();
  EXPECT_TRUE(rig.engaged);
  const double most =
      rig.settings.motor.torque * rig.settings.gear_ratio * std::abs(rig.settings.units_per_torque);
  for (const std::int16_t units : rig.device.motors()) {
    EXPECT_LE(std::abs(units), std::min(most, 4095.0) + 0.5);
    EXPECT_GT(std::abs(units), 100);
  }
  // Less of it, and in its own direction: a unit of 4095 is the rounding.
  EXPECT_LT((rig.felt().normalized() - rig.force.normalized()).norm(), 1e-3);
}

TEST(FalconDevice, an_encoder_that_jumps_is_implausible) {
  FalconRig rig;
  rig.force = {0, 0, 2};
  rig.start();
  rig.device.encoders[1] = static_cast<std::int16_t>(rig.device.encoders[1] + 900);
  rig.run(0.005);
  EXPECT_FALSE(rig.engaged);
  EXPECT_TRUE(rig.motors_off());
}

TEST(FalconDevice, unreachable_angles_are_a_bad_value) {
  FalconRig rig;
  rig.device.encoders = {3000, -2500, 3000};
  rig.device.homed = 0b111;
  rig.run(0.05);
  EXPECT_EQ(rig.status, DeviceStatus::kBadValue);
}

TEST(FalconDevice, a_stalled_io_thread_is_a_lost_device) {
  FalconRig rig;
  rig.run(0.05);
  ASSERT_EQ(rig.status, DeviceStatus::kOk);
  rig.bus.sleep_until(rig.bus.now_ns() +
                      99 * kMillisecond);  // the servo goes on, the link does not
  EXPECT_EQ(rig.status, DeviceStatus::kOk);
  rig.bus.sleep_until(rig.bus.now_ns() + 5 * kMillisecond);
  EXPECT_EQ(rig.status, DeviceStatus::kDisconnected);
}

TEST(SpeedEstimate, is_exact_on_a_line_and_zero_at_rest) {
  SpeedEstimate<1> speed;
  EXPECT_EQ(speed.speed(0), 0.0);
  for (int k = 0; k < 40; ++k) {
    speed.push({static_cast<std::int16_t>(3 * k)}, k * kMillisecond);
    EXPECT_NEAR(speed.speed(0), k > 0 ? 3000.0 : 0.0, 1e-6);
  }
  for (int k = 40; k < 60; ++k) speed.push({static_cast<std::int16_t>(117)}, k * kMillisecond);
  EXPECT_EQ(speed.speed(0), 0.0);
  speed.restart();
  EXPECT_EQ(speed.speed(0), 0.0);
}

TEST(SpeedEstimate, noise_of_quantisation_shrinks_with_the_window) {
  SpeedEstimate<1> speed;
  double worst = 0.0;
  for (int k = 0; k < 2000; ++k) {
    speed.push({static_cast<std::int16_t>(std::lround(0.137 * k))}, k * kMillisecond);
    if (k > 16) worst = std::max(worst, std::abs(speed.speed(0) - 137.0));
  }
  EXPECT_LT(worst, 1000.0 / 14.0);  // one count over 14 ms and more; a difference of two is off 863
}

// The daemon's own cycle on this driver: a device that goes latches a fault; when it is back, the
// operator's reset starts again at homing.
TEST(FalconDevice, unplug_replug_reset_home_engage) {
  FalconRig rig;
  VirtualClock clock;
  SpringWall wall(clock);
  wall.disturbance = 1.0;
  CommandChannel commands;
  MemorySink sink;
  HapticCycle::Settings settings;
  settings.limits.ramp_s = 0.0;
  HapticCycle cycle(rig.falcon, wall, rig.clock, commands, sink, settings);
  Schedule schedule(kMillisecond, rig.clock.now_ns() + kMillisecond);
  rig.device.homed = 0;
  rig.run(0.05);  // the daemon's cycle begins when the device is open
  rig.bus.every(kMillisecond, [&] {
    const std::int64_t woke = rig.clock.now_ns();
    cycle.run(schedule.take(woke), woke);
  });
  const auto command = [&](CommandKind kind) {
    EXPECT_TRUE(commands.post({kind, 0, 0.0}));
    rig.run(0.01);
    CommandReply reply{};
    EXPECT_TRUE(commands.collect(reply));
    return reply.answer;
  };

  rig.run(0.1);
  EXPECT_EQ(cycle.state(), ServoState::kHoming);
  rig.hold(rig.settings.centre);
  rig.run(0.01);
  EXPECT_EQ(command(CommandKind::kEngage), CommandAnswer::kApplied);
  rig.run(0.05);
  ASSERT_EQ(cycle.state(), ServoState::kEngaged);
  EXPECT_FALSE(rig.motors_off());

  rig.bus.fail(BusFault::kUnplugged, kSecond);
  rig.run(0.01);
  EXPECT_EQ(cycle.state(), ServoState::kFault);
  EXPECT_EQ(cycle.sample().fault, FaultKind::kDeviceLost);
  rig.run(2.0);
  // The motors' last order was from before; the first packets after the way back are zero.
  EXPECT_TRUE(rig.motors_off());
  EXPECT_EQ(cycle.state(), ServoState::kFault);  // latched, though the device is back
  EXPECT_EQ(rig.falcon.counters().connections, 2U);
  rig.device.homed = 0;
  EXPECT_EQ(command(CommandKind::kReset), CommandAnswer::kApplied);
  EXPECT_EQ(cycle.state(), ServoState::kHoming);
  rig.hold(rig.settings.centre);
  rig.run(0.01);
  EXPECT_EQ(cycle.state(), ServoState::kIdle);
  EXPECT_EQ(command(CommandKind::kEngage), CommandAnswer::kApplied);
  rig.run(0.05);
  EXPECT_FALSE(rig.motors_off());
}

}  // namespace
}  // namespace haptic
