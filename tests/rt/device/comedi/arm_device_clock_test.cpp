// The arm's time is the clock's, not the count of its exchanges: what a loop that slips sees of
// speeds, jumps, heat and waits.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "tests/rt/device/comedi/arm_rig.h"

namespace haptic {
namespace {

/// Counters that are a function of the time at which they are read; outputs that are remembered.
class TimedBoard final : public ArmBoard {
 public:
  explicit TimedBoard(const SteppedClock& clock) : clock_(clock) {
    description_.driver = description_.board = "timed";
    for (int i = 0; i < 3; ++i) description_.outputs.emplace_back(-10.0, 10.0, 16383, 10.0);
  }
  const Description& description() const HAPTIC_REALTIME override { return description_; }
  DeviceStatus exchange(const BoardOutputs& out, BoardInputs& in) HAPTIC_REALTIME override {
    (void)write(out);
    return take(in);
  }
  DeviceStatus write(const BoardOutputs& out) HAPTIC_REALTIME override {
    outputs = out;
    return DeviceStatus::kOk;
  }
  DeviceStatus read(BoardInputs& in) HAPTIC_REALTIME override {
    ++reads;
    return take(in);
  }
  bool make_safe() HAPTIC_REALTIME override { return true; }

  std::function<std::int64_t(std::int64_t ns)> counts = [](std::int64_t) { return 0; };
  BoardOutputs outputs;
  int reads = 0;

 private:
  DeviceStatus take(BoardInputs& in) {
    for (std::size_t i = 0; i < 3; ++i) in.counts[i] = 0x800000;
    in.counts[0] += static_cast<std::uint32_t>(counts(clock_.now));
    return DeviceStatus::kOk;
  }
  const SteppedClock& clock_;
  Description description_;
};

ComediArm plain_speeds(bool apart) {
  ComediArm read = woodenhaptics();
  read.arm.velocity_cutoff_hz = 0.0;
  read.board.reads_apart = apart;
  return read;
}

/// An arm whose first axis the board's counts move; homed in its present pose.
struct TimedArm {
  explicit TimedArm(ComediArm description) : read(std::move(description)) {
    auto made = std::make_unique<TimedBoard>(clock);
    board = made.get();
    const std::vector<std::uint32_t> at_rest(3, 0x800000);
    device =
        std::make_unique<ArmDevice>(read.arm, read.board, std::move(made), kRate, at_rest, &clock);
  }
  DeviceStatus cycle(double after_s, const Wrench& wrench = {}, bool enabled = false) {
    clock.pass(after_s);
    const DeviceStatus sensed = device->sense(state);
    device->set_enabled(enabled);
    const DeviceStatus sent = device->actuate(wrench);
    return sensed != DeviceStatus::kOk ? sensed : sent;
  }
  /// Of the first axis [rad/s], from the twist.
  double speed() const {
    SerialLink::Placement at;
    SerialLink(read.arm.link).place(device->coordinates(), at);
    const Vector3 column = at.jacobian.col(0).head<3>();
    return column.dot(read.arm.orientation * state.twist.linear) / column.squaredNorm();
  }

  SteppedClock clock;
  ComediArm read;
  TimedBoard* board = nullptr;
  std::unique_ptr<ArmDevice> device;
  DeviceState state;
};

// 8 counts in a millisecond, 2 in a quarter: exact at every step of the clock below.
TEST(ArmClock, speeds_are_right_after_any_slip) {
  for (const bool apart : {false, true}) {
    TimedArm arm(plain_speeds(apart));
    const std::int64_t begin = arm.clock.now;
    arm.board->counts = [begin](std::int64_t ns) { return (ns - begin) / 125'000; };
    const double exact = 8000.0 * arm.read.arm.axes[0].step();
    for (int k = 0; k < 3; ++k) ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
    for (const double after : {0.001, 0.00125, 0.007, 0.001, 0.001, 0.05, 0.00025, 0.0015, 0.13}) {
      ASSERT_EQ(arm.cycle(after), DeviceStatus::kOk) << after;
      EXPECT_NEAR(arm.speed(), exact, 1e-12) << after << (apart ? " apart" : " in one list");
    }
  }
}

TEST(ArmClock, a_speed_after_a_gap_is_the_average_over_the_gap) {
  TimedArm arm(plain_speeds(true));
  for (int k = 0; k < 3; ++k) ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
  arm.board->counts = [](std::int64_t) { return 1000; };
  ASSERT_EQ(arm.cycle(2.0), DeviceStatus::kOk);
  EXPECT_NEAR(arm.speed(), 500.0 * arm.read.arm.axes[0].step(), 1e-12);
  ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
  EXPECT_EQ(arm.speed(), 0.0);
}

TEST(ArmClock, readings_at_the_same_time_give_no_speed_and_lose_no_motion) {
  TimedArm arm(plain_speeds(true));
  std::int64_t at = 0;
  arm.board->counts = [&at](std::int64_t) { return at; };
  for (int k = 0; k < 3; ++k) ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
  at = 4;
  ASSERT_EQ(arm.cycle(0.0), DeviceStatus::kOk);
  EXPECT_EQ(arm.speed(), 0.0);  // the last one; finite
  at = 8;
  ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
  EXPECT_NEAR(arm.speed(), 8000.0 * arm.read.arm.axes[0].step(), 1e-12);
}

// A list that reads at a cycle's end leaves the next cycle what is by then as old as the slip.
TEST(ArmClock, a_reading_that_waited_through_a_slip_is_taken_again) {
  TimedArm arm(plain_speeds(false));
  const std::int64_t begin = arm.clock.now;
  arm.board->counts = [begin](std::int64_t ns) { return (ns - begin) / 125'000; };
  for (int k = 0; k < 5; ++k) ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
  const int reads = arm.board->reads;
  ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
  EXPECT_EQ(arm.board->reads, reads);
  const double step = arm.read.arm.axes[0].step();
  EXPECT_NEAR(arm.device->coordinates()[0], 8.0 * 5 * step, 1e-12);  // of the cycle before
  ASSERT_EQ(arm.cycle(0.020), DeviceStatus::kOk);
  EXPECT_EQ(arm.board->reads, reads + 1);
  EXPECT_NEAR(arm.device->coordinates()[0], 8.0 * 26 * step, 1e-12);  // of now
}

// 400 rad/s of the motor are 127 counts in a millisecond.
TEST(ArmClock, the_jump_limit_grows_with_the_elapsed_time) {
  const auto after = [](double seconds, std::int64_t counts) {
    TimedArm arm(plain_speeds(true));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
    arm.board->counts = [counts](std::int64_t) { return counts; };
    return arm.cycle(seconds);
  };
  EXPECT_EQ(after(0.001, 126), DeviceStatus::kOk);
  EXPECT_EQ(after(0.001, 130), DeviceStatus::kImplausible);
  EXPECT_EQ(after(0.010, 1260), DeviceStatus::kOk);
  EXPECT_EQ(after(0.010, 1300), DeviceStatus::kImplausible);
  EXPECT_EQ(after(0.0005, 66), DeviceStatus::kImplausible);
}

TEST(ArmClock, a_winding_warms_by_the_elapsed_time) {
  ComediArm read = plain_speeds(true);
  read.arm.gravity_compensation = 0.0;
  for (ArmAxis& axis : read.arm.axes) {
    axis.motor.resistance = 1.0;
    axis.motor.thermal_resistance = 30.0;
    axis.motor.thermal_time_s = 1.0;
    axis.motor.max_C = 60.0;
    axis.motor.slew = std::numeric_limits<double>::infinity();
  }
  TimedArm arm(read);
  const Wrench wrench{{3.0, 0.0, 0.0}, Vector3::Zero()};
  ASSERT_EQ(arm.cycle(0.001), DeviceStatus::kOk);
  ASSERT_EQ(arm.cycle(0.001, wrench, true), DeviceStatus::kOk);
  // 3 N on 0.245 m over 16 turns: 45.9 mN·m, 1.7737 A, B = 94.4 K: T' = (B + (aB - 1)(T - 25)) / s
  // passes 60 °C after 0.42 s. Of cycles that come 7 ms apart that is the 61st.
  const double ampere = 3.0 * 0.245 / 16.0 / 0.0259, b = 30.0 * ampere * ampere;
  const double g = 1.0 - 0.00393 * b;
  const double crossing = -std::log(1.0 - g * 35.0 / b) / g;
  int cycles = 0;
  while (arm.cycle(0.007, wrench, true) == DeviceStatus::kOk) ASSERT_LT(++cycles, 1000);
  EXPECT_EQ(cycles, static_cast<int>(std::floor(crossing / 0.007)));
  EXPECT_FALSE(arm.board->outputs.enabled);
}

TEST(ArmClock, an_output_that_does_not_follow_is_detected_by_elapsed_time) {
  ComediArm read = woodenhaptics();
  read.board.monitor = {0, 1, 2};
  Rig rig(read);
  rig.board->watch_outputs();
  rig.home();
  for (int k = 0; k < 50; ++k) {
    ASSERT_EQ(rig.cycle({{1.5, 0.0, 0.0}, Vector3::Zero()}, true), DeviceStatus::kOk);
    rig.push = {-1.5, 0.0, 0.0};
  }
  rig.board->script.push_back(
      {rig.board->exchanges(), kForEver, FakeArmBoard::Fault::kStuckOutput, 0});
  // monitor_s = 5 ms is over in the second reading that shows it, where readings come 6 ms apart.
  int cycles = 0;
  while (rig.cycle({}, true, 6'000'000) == DeviceStatus::kOk) ASSERT_LT(++cycles, 20);
  EXPECT_LE(cycles, 3);
}

}  // namespace
}  // namespace haptic
