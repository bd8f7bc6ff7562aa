// Reactions of the arm's driver to faults; faults by script, in virtual time.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "tests/rt/device/comedi/arm_rig.h"

namespace haptic {
namespace {

using Fault = FakeArmBoard::Fault;

TEST(ArmDeviceFaults, refuses_nan_and_disables_all_outputs) {
  Rig rig;
  rig.home();
  ASSERT_EQ(rig.cycle({{1.0, 0.0, 0.0}, Vector3::Zero()}, true), DeviceStatus::kOk);
  ASSERT_TRUE(rig.board->amplifiers_on());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(rig.cycle({{nan, 0.0, 0.0}, Vector3::Zero()}, true), DeviceStatus::kBadValue);
  EXPECT_TRUE(rig.board->outputs_are_zero());
  EXPECT_FALSE(rig.board->amplifiers_on());
}

TEST(ArmDeviceFaults, outputs_are_zero_unless_enabled_homed_and_read) {
  Rig rig;
  const Wrench wrench{{3.0, 3.0, 3.0}, Vector3::Zero()};
  for (int k = 0; k < 100; ++k) (void)rig.cycle(wrench, true);  // not homed
  EXPECT_EQ(rig.board->largest_torque(), 0.0);
  rig.home();
  for (int k = 0; k < 100; ++k) (void)rig.cycle(wrench, false);  // not enabled
  EXPECT_EQ(rig.board->largest_torque(), 0.0);
  ASSERT_EQ(rig.cycle(wrench, true), DeviceStatus::kOk);
  EXPECT_GT(rig.board->largest_torque(), 0.0);
  // A servo that calls actuate without a good sense before it.
  rig.board->script.push_back(
      {rig.board->exchanges(), rig.board->exchanges() + 1, Fault::kIoError});
  EXPECT_EQ(rig.device->actuate(wrench), DeviceStatus::kDisconnected);
  EXPECT_EQ(rig.device->sense(rig.state), DeviceStatus::kDisconnected);
  EXPECT_EQ(rig.device->actuate(wrench), DeviceStatus::kOk);
  EXPECT_TRUE(rig.board->outputs_are_zero());
}

TEST(ArmDeviceFaults, the_stop_input_removes_the_torque_within_a_cycle) {
  Rig rig;
  rig.home();
  ASSERT_EQ(rig.cycle({{2.0, 0.0, 0.0}, Vector3::Zero()}, true), DeviceStatus::kOk);
  rig.board->script.push_back({rig.board->exchanges(), kForEver, Fault::kStop});
  (void)rig.cycle({{2.0, 0.0, 0.0}, Vector3::Zero()}, true);
  EXPECT_EQ(rig.cycle({{2.0, 0.0, 0.0}, Vector3::Zero()}, true), DeviceStatus::kOk);
  EXPECT_TRUE(rig.state.emergency_stop);
  EXPECT_TRUE(rig.board->outputs_are_zero());
}

struct FaultCase {
  Fault fault;
  std::int64_t amount;
  DeviceStatus status;
};

TEST(ArmDeviceFaults, faults_end_at_zero_with_their_status) {
  // A jump of 2000 counts is a motor's turn in a millisecond: 6283 rad/s where 400 are possible.
  for (const FaultCase& c : {FaultCase{Fault::kIoError, 0, DeviceStatus::kDisconnected},
                             FaultCase{Fault::kJump, 2000, DeviceStatus::kImplausible}}) {
    for (const bool apart : {false, true}) {
      ComediArm read = woodenhaptics();
      read.board.reads_apart = apart;
      Rig rig(read);
      rig.home();
      rig.push = {0.5, 0.0, 0.5};
      for (int k = 0; k < 200; ++k) {
        ASSERT_EQ(rig.cycle(rig.spring(100.0, 4.0), true), DeviceStatus::kOk);
      }
      const std::uint64_t now = rig.board->exchanges();
      rig.board->script.push_back({now, now + 1, c.fault, 1, c.amount});
      if (c.fault == Fault::kIoError) rig.board->script.back().axis = 0;
      DeviceStatus status = DeviceStatus::kOk;
      for (int k = 0; k < 3 && status == DeviceStatus::kOk; ++k) {
        status = rig.cycle(rig.spring(100.0, 4.0), true);
      }
      EXPECT_EQ(status, c.status);
      EXPECT_TRUE(rig.board->outputs_are_zero());
      EXPECT_FALSE(rig.board->amplifiers_on());
    }
  }
}

TEST(ArmDeviceFaults, a_lost_board_stays_lost) {
  Rig rig;
  rig.home();
  rig.board->script.push_back({rig.board->exchanges(), kForEver, Fault::kGone});
  (void)rig.cycle({}, false);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(rig.cycle({}, false), DeviceStatus::kDisconnected);
}

TEST(ArmDeviceFaults, counting_continues_after_failed_exchanges) {
  Rig rig;
  rig.home();
  const std::uint64_t now = rig.board->exchanges();
  rig.board->script.push_back({now, now + 20, Fault::kIoError});
  rig.push = {0.3, 0.0, 0.0};
  for (int k = 0; k < 21; ++k) (void)rig.cycle({}, false);
  const double heard = rig.board->coordinates()[0];    // what the exchange before read
  ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kOk);  // further than a cycle's way, not than 21's
  EXPECT_GT(heard, 0.4 / kRate);
  EXPECT_NEAR(rig.device->coordinates()[0], heard, rig.read.arm.axes[0].step());
}

TEST(ArmDeviceFaults, a_counter_that_runs_backwards_ends_outside_its_range_at_zero) {
  Rig rig;
  rig.board->script.push_back({0, kForEver, Fault::kBackwards, 0});
  rig.home();
  rig.push = {0.2, 0.0, 0.0};  // sideways: axis 0
  DeviceStatus status = DeviceStatus::kOk;
  int k = 0;
  for (; k < 3000 && status == DeviceStatus::kOk; ++k) {
    status = rig.cycle(rig.spring(100.0, 2.0), true);
    for (std::size_t i = 0; i < 3; ++i) {
      // The spring drives the motion; the motor's limit applies meanwhile (up to a code's
      // rounding).
      ASSERT_LE(std::abs(rig.board->torque(i)), 0.0777 + 1e-5);
    }
  }
  EXPECT_EQ(status, DeviceStatus::kImplausible);
  EXPECT_TRUE(rig.board->outputs_are_zero());
  EXPECT_FALSE(rig.board->amplifiers_on());
}

TEST(ArmDeviceFaults, a_frozen_counter_under_torque_is_implausible) {
  ComediArm read = woodenhaptics();
  for (ArmAxis& axis : read.arm.axes) {
    axis.encoder.stuck_s = 1.0;
    axis.encoder.stuck_torque = 0.01;
  }
  Rig rig(read);
  rig.home();
  rig.push = {0.6, 0.0, 0.0};
  rig.board->script.push_back({rig.board->exchanges() + 300, kForEver, Fault::kFrozenCounter, 0});
  DeviceStatus status = DeviceStatus::kOk;
  for (int k = 0; k < 4000 && status == DeviceStatus::kOk; ++k) {
    rig.push.x() = 1.2 + 0.1 * std::sin(0.02 * k);  // a hand trembles
    status = rig.cycle(rig.spring(60.0, 3.0), true);
  }
  EXPECT_EQ(status, DeviceStatus::kImplausible);
  EXPECT_TRUE(rig.board->outputs_are_zero());
}

TEST(ArmDeviceFaults, a_stuck_converter_is_seen_by_the_monitor_and_the_enable_line_drops) {
  ComediArm read = woodenhaptics();
  read.board.monitor = {0, 1, 2};
  Rig rig(read);
  rig.board->watch_outputs();
  rig.home();
  for (int k = 0; k < 400; ++k) {
    ASSERT_EQ(rig.cycle({{1.5, 0.0, 0.0}, Vector3::Zero()}, true), DeviceStatus::kOk);
    rig.push = {-1.5, 0.0, 0.0};
  }
  rig.board->script.push_back({rig.board->exchanges(), kForEver, Fault::kStuckOutput, 0});
  DeviceStatus status = DeviceStatus::kOk;
  int k = 0;
  for (; k < 100 && status == DeviceStatus::kOk; ++k) status = rig.cycle({}, true);
  EXPECT_EQ(status, DeviceStatus::kImplausible);
  EXPECT_LE(k, 8);                              // monitor_s = 5 ms, and the cycles there and back
  EXPECT_FALSE(rig.board->outputs_are_zero());  // the converter is stuck,
  EXPECT_FALSE(rig.board->amplifiers_on());     // its amplifier off
}

TEST(ArmDeviceFaults, hot_windings_cut_the_torque) {
  ComediArm read = woodenhaptics();
  for (ArmAxis& axis : read.arm.axes) {
    axis.motor.resistance = 1.0;
    axis.motor.thermal_resistance = 30.0;
    axis.motor.thermal_time_s = 1.0;
    axis.motor.max_C = 60.0;
  }
  Rig rig(read);
  rig.home();
  rig.board->hand = nullptr;
  rig.board->mechanics.inertia = 1e6;  // an arm somebody holds fast
  DeviceStatus status = DeviceStatus::kOk;
  for (int k = 0; k < 5000 && status == DeviceStatus::kOk; ++k) {
    status = rig.cycle({{3.0, 0.0, 0.0}, Vector3::Zero()}, true);
  }
  EXPECT_EQ(status, DeviceStatus::kOverheated);
  EXPECT_TRUE(rig.board->outputs_are_zero());
}

TEST(ArmDeviceFaults, no_random_fault_lets_torque_exceed_its_limits) {
  EXPECT_TRUE(rc::check("scripts of faults", [] {
    Rig rig;
    rig.home();
    rig.push = {0.5, 0.2, -0.3};
    const int faults = *rc::gen::inRange(1, 6);
    for (int i = 0; i < faults; ++i) {
      const auto kind = static_cast<Fault>(*rc::gen::inRange(0, 7));
      const auto at = kHoming + static_cast<std::uint64_t>(*rc::gen::inRange(0, 300));
      const auto length = static_cast<std::uint64_t>(*rc::gen::inRange(1, 100));
      const bool global = kind == Fault::kIoError || kind == Fault::kGone || kind == Fault::kStop;
      const auto axis = static_cast<std::size_t>(global ? 0 : *rc::gen::inRange(0, 3));
      const std::int64_t amount = *rc::gen::inRange(-100000, 100000);
      rig.board->script.push_back({at, at + length, kind, axis, amount});
    }
    bool latched = false;
    for (int k = 0; k < 500; ++k) {
      const Wrench wrench = latched ? Wrench{} : rig.spring(200.0, 4.0);
      latched = rig.cycle(wrench, !latched) != DeviceStatus::kOk || latched;
      for (std::size_t i = 0; i < 3; ++i) {
        RC_ASSERT(std::abs(rig.board->torque(i)) <= 0.0777 + 1e-5);
      }
    }
    // After a fault only a board that takes no writes may still be driven, and that one is the
    // guard's and the hardware watchdog's.
    bool gone = false;
    for (const auto& event : rig.board->script) gone = gone || event.fault == Fault::kGone;
    RC_ASSERT(!latched || gone || !rig.board->amplifiers_on());
  }));
}

}  // namespace
}  // namespace haptic
