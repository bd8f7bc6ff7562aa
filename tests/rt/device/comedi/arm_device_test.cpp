#include "rt/device/comedi/arm_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "shared/error.h"
#include "tests/rt/device/comedi/arm_rig.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

TEST(ArmDevice, opening_and_closing_leave_zero) {
  Rig rig;
  EXPECT_TRUE(rig.board->outputs_are_zero());
  EXPECT_FALSE(rig.board->amplifiers_on());
  EXPECT_EQ(rig.device->capabilities().name, "woodenhaptics");
  EXPECT_EQ(rig.device->capabilities().actuated_freedoms, 3);
  EXPECT_TRUE(rig.device->capabilities().needs_homing);
  // At the centre A = B = 0, C = 90°: a count of A moves 0.245 m by 2 pi / 32000, of B 0.205 m and
  // of C 0.245 m by 2 pi / 24000; C alone lifts, 64.1 µm.
  EXPECT_NEAR(rig.device->capabilities().resolution, 0.245 * 2.0 * std::numbers::pi / 24000.0,
              1e-9);
}

TEST(ArmDevice, is_homed_where_it_is_at_rest) {
  Rig rig;
  EXPECT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
  EXPECT_FALSE(rig.state.homed);
  rig.device->home();
  rig.release();
  rig.push = {0.0, 0.5, 0.0};  // a restless hand: no zero is taken
  for (int k = 0; k < 300; ++k) (void)rig.cycle({}, false);
  EXPECT_FALSE(rig.state.homed);
  EXPECT_FALSE(rig.board->amplifiers_on());
  Rig still;
  still.home();
  EXPECT_LT(still.state.pose.position.norm(), 1e-12);  // the calibration pose is the origin
}

TEST(ArmDevice, reports_pose_and_velocity_of_a_moved_handle) {
  for (const unsigned bits : {16u, 24u, 32u}) {
    // Counters that start a few counts before their end wrap at once.
    const std::uint32_t end = bits == 32 ? ~0U : (1U << bits) - 1;
    Rig rig(woodenhaptics(), {}, bits, end - 3);
    rig.home();
    const SerialLink link(rig.read.arm.link);
    Vector3 before = rig.state.pose.position;
    rig.push = {0.2, 0.1, 0.1};
    for (int k = 0; k < 250; ++k) {
      ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
      // The reading is of the exchange before: one step of the mechanics ago.
    }
    SerialLink::Placement at;
    link.place(rig.device->coordinates(), at);
    const Vector3 expected =
        rig.read.arm.orientation.conjugate() * (at.position - rig.read.arm.origin);
    EXPECT_LT((rig.state.pose.position - expected).norm(), 1e-15);
    EXPECT_GT((rig.state.pose.position - before).norm(), 0.01);
    for (std::size_t i = 0; i < 3; ++i) {
      // Half a count by rounding, and what the zero's own rounding left.
      EXPECT_NEAR(rig.device->coordinates()[i], rig.board->coordinates()[i],
                  0.01 * std::abs(rig.board->coordinates()[i]) + rig.read.arm.axes[i].step());
    }
    EXPECT_GT(rig.state.twist.linear.dot(rig.push), 0.0);
  }
}

TEST(ArmDevice, a_force_becomes_the_motors_torques) {
  ComediArm read = woodenhaptics();
  read.arm.gravity_compensation = 0.0;
  for (ArmAxis& axis : read.arm.axes) axis.motor.slew = std::numeric_limits<double>::infinity();
  Rig rig(read);
  rig.home();
  rig.board->hand = nullptr;
  const Vector3 force(1.0, -0.5, 0.7);
  ASSERT_EQ(rig.cycle({force, Vector3::Zero()}, true), DeviceStatus::kOk);
  EXPECT_TRUE(rig.board->amplifiers_on());
  // Amps = J^T F capstan / body / Kt, 0.3 A/V (docs/methods/devices.md, "Force to volts"). Device
  // x, y, z are the arm's y, z, x; at A = B = 0, C = 90° the handle moves by 0.245 (arm y) with
  // A, 0.205 (x) with B, 0.245 (z) with C.
  const double kt = 0.0259, amperes = 0.3;
  EXPECT_NEAR(rig.device->volts()[0], 0.245 * 1.0 / 16.0 / kt / amperes, 1e-9);
  EXPECT_NEAR(rig.device->volts()[1], 0.205 * 0.7 / 12.0 / kt / amperes, 1e-9);
  EXPECT_NEAR(rig.device->volts()[2], 0.245 * -0.5 / 12.0 / kt / amperes, 1e-9);
  for (std::size_t i = 0; i < 3; ++i) {
    // One code of 20 V in 14 bits.
    EXPECT_NEAR(rig.board->torque(i), rig.read.arm.axes[i].torque(rig.device->volts()[i]),
                20.0 / 16383.0 * kt * amperes);
  }
}

TEST(ArmDevice, compensates_its_weight) {
  Rig rig;
  rig.home();
  rig.board->mechanics.damping = 0.05;
  // A hand steadies the arm while the compensation ramps in, then releases it.
  for (int k = 0; k < 2000; ++k) {
    const double held = k < 700 ? 1.0 : 0.0;
    ASSERT_EQ(rig.cycle({held * rig.spring(200.0, 5.0).force, Vector3::Zero()}, true),
              DeviceStatus::kOk);
  }
  // The forearm alone would fall by m g r t²/2I = 0.098 · 1.69 / 0.004 rad: beyond its stop. What
  // is left are half codes of converters: 4.7 µN·m · 12 at 0.05 N·m s/rad: 1.5 mrad in 1.3 s.
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(rig.board->coordinates()[i], rig.read.arm.calibration_pose[i], 0.02) << i;
  }
}

TEST(ArmDevice, a_closed_loop_settles_where_forces_balance) {
  for (const bool apart : {false, true}) {
    ComediArm read = woodenhaptics();
    read.board.reads_apart = apart;
    Rig rig(read);
    rig.home();
    rig.push = {0.8, -0.4, 0.6};
    for (int k = 0; k < 4000; ++k) {
      ASSERT_EQ(rig.cycle(rig.spring(100.0, 4.0), true), DeviceStatus::kOk) << k;
    }
    // 100 N/m under (0.8, -0.4, 0.6) N: 8, -4, 6 mm; a count of 64 µm and its half in every axis.
    EXPECT_LT((rig.state.pose.position - Vector3(0.008, -0.004, 0.006)).norm(), 2e-4);
    EXPECT_LT(rig.state.twist.linear.norm(), 0.05);
  }
}

TEST(ArmDevice, compensates_a_fraction_of_the_friction) {
  ComediArm read = woodenhaptics();
  read.arm.gravity_compensation = 0.0;
  read.arm.friction_compensation = 0.5;
  read.arm.friction_speed = 0.05;
  read.arm.velocity_cutoff_hz = 0.0;
  for (ArmAxis& axis : read.arm.axes) axis.friction = 0.01;
  Rig rig(read);
  rig.home();
  rig.board->hand = [](std::size_t axis, const auto&) { return axis == 0 ? 0.02 : 0.0; };
  for (int k = 0; k < 600; ++k) ASSERT_EQ(rig.cycle({}, true), DeviceStatus::kOk);
  // Moving at far more than friction_speed: half of 0.01 N·m over a ratio of 16, after the ramp.
  EXPECT_NEAR(rig.read.arm.axes[0].torque(rig.device->volts()[0]), 0.5 * 0.01 / 16.0, 1e-9);
  EXPECT_EQ(rig.device->volts()[1], 0.0);
}

TEST(ArmDevice, reports_buttons) {
  Rig rig;
  rig.board->buttons = 5;
  (void)rig.cycle({}, false);
  (void)rig.cycle({}, false);
  EXPECT_EQ(rig.state.buttons, 5u);
}

TEST(ArmDevice, starts_from_a_calibration_files_counts) {
  const ComediArm read = woodenhaptics();
  // The arm is 0.3 rad from its pose; the counter wrapped on the way.
  const auto moved = static_cast<std::int64_t>(std::floor(0.3 / read.arm.axes[0].step() + 0.5));
  const std::vector<std::uint32_t> counts{
      static_cast<std::uint32_t>((1 << 24) + 500 - moved) & 0xFFFFFF, 500, 500};
  Rig rig(read, {0.3, 0.0, std::numbers::pi / 2.0}, 24, 500, counts);
  ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
  EXPECT_TRUE(rig.state.homed);
  EXPECT_NEAR(rig.device->coordinates()[0], 0.3, read.arm.axes[0].step());
}

TEST(ArmDevice, refuses_counts_that_put_the_arm_where_it_cannot_be) {
  const std::vector<std::uint32_t> counts{500 + 100000, 500, 500};  // 19.6 rad
  EXPECT_THROW(Rig(woodenhaptics(), {}, 24, 500, counts), OperationError);
}

TEST(ArmDevice, refuses_a_board_with_too_few_outputs_or_volts) {
  ComediArm read = woodenhaptics();
  ComediArm two = read;
  two.arm.motors = 2;
  auto board = std::make_unique<FakeArmBoard>(two.arm, 1e-3, read.arm.calibration_pose);
  EXPECT_THROW(ArmDevice(read.arm, read.board, std::move(board), kRate), InputError);
  read.arm.axes[1].motor.torque = 0.1;  // 12.9 V
  EXPECT_THROW(Rig{read}, InputError);
}

TEST(ArmDevice, cycles_do_not_allocate) {
  Rig rig;
  rig.home();
  rig.board->hand = nullptr;
  NoAllocation guard;
  for (int k = 0; k < 50; ++k) (void)rig.cycle({{1.0, 0.5, 0.2}, Vector3::Zero()}, true);
  rig.board->script.clear();
}

}  // namespace
}  // namespace haptic
