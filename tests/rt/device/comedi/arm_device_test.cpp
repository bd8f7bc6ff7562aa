#include "rt/device/comedi/arm_device.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "rt/device/comedi/open_comedi_arm.h"
#include "shared/error.h"
#include "tests/rt/device/comedi/fake_arm_board.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

using Fault = FakeArmBoard::Fault;

constexpr double kRate = 1000.0;
constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHoming = 600;  // exchanges: hold_s = 0.5 s and some

ComediArm woodenhaptics() {
  return read_comedi_arm(
      load_manifest(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml"));
}

/// A WoodenHaptics arm on the fake board, driven as the servo does.
struct Rig {
  explicit Rig(ComediArm description = woodenhaptics(), std::vector<double> start = {},
               unsigned bits = 24, std::uint32_t first = 0,
               std::optional<std::vector<std::uint32_t>> counts = {})
      : read(std::move(description)) {
    if (start.empty()) start = read.arm.calibration_pose;
    auto made = std::make_unique<FakeArmBoard>(read.arm, 1.0 / kRate, start, bits, first);
    board = made.get();
    device = std::make_unique<ArmDevice>(read.arm, read.board, std::move(made), kRate, counts);
  }

  /// Gravity, and a hand that pushes (device frame).
  double hand(std::size_t axis, const std::array<double, kMaxArmAxes>& q) const {
    SerialLink::Placement at;
    SerialLink(read.arm.link).place({q.data(), read.arm.axes.size()}, at);
    const auto column = static_cast<Eigen::Index>(axis);
    const Vector3 f = read.arm.orientation * push;
    return at.jacobian.col(column).head<3>().dot(f) - at.gravity[column];
  }

  /// One cycle; after a bad sense the servo sends nothing and disables.
  DeviceStatus cycle(const Wrench& wrench, bool enabled) {
    const DeviceStatus sensed = device->sense(state);
    const bool good = sensed == DeviceStatus::kOk;
    device->set_enabled(enabled && good);
    const DeviceStatus sent = device->actuate(good && enabled ? wrench : Wrench{});
    return good ? sent : sensed;
  }

  /// Gravity pulls from now on, and the hand.
  void release() {
    board->hand = [this](std::size_t axis, const auto& q) { return hand(axis, q); };
  }

  void home() {  // pinned in its calibration pose
    for (std::uint64_t k = 0; k < kHoming; ++k) ASSERT_EQ(cycle({}, false), DeviceStatus::kOk);
    ASSERT_TRUE(state.homed);
    release();
  }

  /// A spring that pulls the handle to the device frame's `goal`.
  Wrench spring(double stiffness, double damping, const Vector3& goal) const {
    return {stiffness * (goal - state.pose.position) - damping * state.twist.linear, {}};
  }

  ComediArm read;
  FakeArmBoard* board = nullptr;
  std::unique_ptr<ArmDevice> device;
  DeviceState state;
  Vector3 push = Vector3::Zero();
};

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

TEST(ArmDevice, is_homed_where_it_stands_still) {
  Rig rig;
  EXPECT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
  EXPECT_FALSE(rig.state.homed);
  rig.release();
  rig.push = {0.0, 0.5, 0.0};  // a restless hand: no zero is taken
  for (int k = 0; k < 300; ++k) (void)rig.cycle({}, false);
  EXPECT_FALSE(rig.state.homed);
  EXPECT_FALSE(rig.board->amplifiers_on());
  Rig still;
  still.home();
  EXPECT_LT(still.state.pose.position.norm(), 1e-12);  // the calibration pose is the origin
}

TEST(ArmDevice, tells_place_and_speed_of_a_moved_handle) {
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
  read.arm.gravity_share = 0.0;
  for (ArmAxis& axis : read.arm.axes) axis.motor.slew = std::numeric_limits<double>::infinity();
  Rig rig(read);
  rig.home();
  rig.board->hand = nullptr;
  const Vector3 force(1.0, -0.5, 0.7);
  ASSERT_EQ(rig.cycle({force, {}}, true), DeviceStatus::kOk);
  EXPECT_TRUE(rig.board->amplifiers_on());
  // Amps = J^T F capstan / body / Kt, 0.3 A/V (spec 2.5). Device x, y, z are the arm's y, z, x; at
  // A = B = 0, C = 90° the handle moves by 0.245 (arm y) with A, 0.205 (x) with B, 0.245 (z) with
  // C.
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

TEST(ArmDevice, carries_its_own_weight) {
  Rig rig;
  rig.home();
  rig.board->mechanics.damping = 0.05;
  // A hand steadies the arm while the compensation ramps in, then lets go.
  for (int k = 0; k < 2000; ++k) {
    const double held = k < 700 ? 1.0 : 0.0;
    ASSERT_EQ(rig.cycle({held * rig.spring(200.0, 5.0, {}).force, {}}, true), DeviceStatus::kOk);
  }
  // The forearm alone would fall by m g r t²/2I = 0.098 · 1.69 / 0.004 rad: beyond its stop. What
  // is left are half codes of the converters: 4.7 µN·m · 12 at 0.05 N·m s/rad over 1.3 s, 1.5 mrad.
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
      ASSERT_EQ(rig.cycle(rig.spring(100.0, 4.0, {}), true), DeviceStatus::kOk) << k;
    }
    // 100 N/m under (0.8, -0.4, 0.6) N: 8, -4, 6 mm; a count of 64 µm and its half in every axis.
    EXPECT_LT((rig.state.pose.position - Vector3(0.008, -0.004, 0.006)).norm(), 2e-4);
    EXPECT_LT(rig.state.twist.linear.norm(), 0.05);
  }
}

TEST(ArmDevice, compensates_a_share_of_the_friction) {
  ComediArm read = woodenhaptics();
  read.arm.gravity_share = 0.0;
  read.arm.friction_share = 0.5;
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

TEST(ArmDevice, refuses_nan_and_drops_everything) {
  Rig rig;
  rig.home();
  ASSERT_EQ(rig.cycle({{1.0, 0.0, 0.0}, {}}, true), DeviceStatus::kOk);
  ASSERT_TRUE(rig.board->amplifiers_on());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(rig.cycle({{nan, 0.0, 0.0}, {}}, true), DeviceStatus::kBadValue);
  EXPECT_TRUE(rig.board->outputs_are_zero());
  EXPECT_FALSE(rig.board->amplifiers_on());
}

TEST(ArmDevice, nothing_leaves_unless_enabled_homed_and_heard) {
  Rig rig;
  const Wrench wrench{{3.0, 3.0, 3.0}, {}};
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

TEST(ArmDevice, the_stop_input_takes_the_torque_within_a_cycle) {
  Rig rig;
  rig.home();
  ASSERT_EQ(rig.cycle({{2.0, 0.0, 0.0}, {}}, true), DeviceStatus::kOk);
  rig.board->script.push_back({rig.board->exchanges(), kForEver, Fault::kStop});
  (void)rig.cycle({{2.0, 0.0, 0.0}, {}}, true);
  EXPECT_EQ(rig.cycle({{2.0, 0.0, 0.0}, {}}, true), DeviceStatus::kOk);
  EXPECT_TRUE(rig.state.emergency_stop);
  EXPECT_TRUE(rig.board->outputs_are_zero());
}

TEST(ArmDevice, buttons_are_heard) {
  Rig rig;
  rig.board->buttons = 5;
  (void)rig.cycle({}, false);
  (void)rig.cycle({}, false);
  EXPECT_EQ(rig.state.buttons, 5u);
}

struct FaultCase {
  Fault fault;
  std::int64_t amount;
  DeviceStatus status;
};

TEST(ArmDevice, faults_end_at_zero_with_their_status) {
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
        ASSERT_EQ(rig.cycle(rig.spring(100.0, 4.0, {}), true), DeviceStatus::kOk);
      }
      const std::uint64_t now = rig.board->exchanges();
      rig.board->script.push_back({now, now + 1, c.fault, 1, c.amount});
      if (c.fault == Fault::kIoError) rig.board->script.back().axis = 0;
      DeviceStatus status = DeviceStatus::kOk;
      for (int k = 0; k < 3 && status == DeviceStatus::kOk; ++k) {
        status = rig.cycle(rig.spring(100.0, 4.0, {}), true);
      }
      EXPECT_EQ(status, c.status);
      EXPECT_TRUE(rig.board->outputs_are_zero());
      EXPECT_FALSE(rig.board->amplifiers_on());
    }
  }
}

TEST(ArmDevice, a_board_that_is_gone_stays_gone) {
  Rig rig;
  rig.home();
  rig.board->script.push_back({rig.board->exchanges(), kForEver, Fault::kGone});
  (void)rig.cycle({}, false);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(rig.cycle({}, false), DeviceStatus::kDisconnected);
}

TEST(ArmDevice, counts_go_on_after_exchanges_that_failed) {
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

TEST(ArmDevice, a_counter_that_runs_backwards_ends_outside_its_range_at_zero) {
  Rig rig;
  rig.board->script.push_back({0, kForEver, Fault::kBackwards, 0});
  rig.home();
  rig.push = {0.2, 0.0, 0.0};  // sideways: axis 0
  DeviceStatus status = DeviceStatus::kOk;
  int k = 0;
  for (; k < 3000 && status == DeviceStatus::kOk; ++k) {
    status = rig.cycle(rig.spring(100.0, 2.0, {}), true);
    for (std::size_t i = 0; i < 3; ++i) {
      // The spring feeds the motion; the motor's limit holds meanwhile (and a code's rounding).
      ASSERT_LE(std::abs(rig.board->torque(i)), 0.0777 + 1e-5);
    }
  }
  EXPECT_EQ(status, DeviceStatus::kImplausible);
  EXPECT_TRUE(rig.board->outputs_are_zero());
  EXPECT_FALSE(rig.board->amplifiers_on());
}

TEST(ArmDevice, a_frozen_counter_under_torque_is_implausible) {
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
    status = rig.cycle(rig.spring(60.0, 3.0, {}), true);
  }
  EXPECT_EQ(status, DeviceStatus::kImplausible);
  EXPECT_TRUE(rig.board->outputs_are_zero());
}

TEST(ArmDevice, a_stuck_converter_is_seen_by_the_monitor_and_the_enable_line_drops) {
  ComediArm read = woodenhaptics();
  read.board.monitor = {0, 1, 2};
  Rig rig(read);
  rig.board->watch_outputs();
  rig.home();
  for (int k = 0; k < 400; ++k) {
    ASSERT_EQ(rig.cycle({{1.5, 0.0, 0.0}, {}}, true), DeviceStatus::kOk);
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

TEST(ArmDevice, hot_windings_cut_the_torque) {
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
    status = rig.cycle({{3.0, 0.0, 0.0}, {}}, true);
  }
  EXPECT_EQ(status, DeviceStatus::kOverheated);
  EXPECT_TRUE(rig.board->outputs_are_zero());
}

TEST(ArmDevice, starts_from_a_calibration_files_counts) {
  const ComediArm read = woodenhaptics();
  // The arm stands 0.3 rad from its pose; the counter wrapped on the way.
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
  for (int k = 0; k < 50; ++k) (void)rig.cycle({{1.0, 0.5, 0.2}, {}}, true);
  rig.board->script.clear();
}

TEST(ArmDevice, no_fault_at_random_lets_torque_past_its_limits) {
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
      const Wrench wrench = latched ? Wrench{} : rig.spring(200.0, 4.0, {});
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
