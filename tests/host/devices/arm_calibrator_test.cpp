#include "host/devices/arm_calibrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "rt/device/comedi/open_comedi_arm.h"
#include "shared/error.h"
#include "tests/rt/device/comedi/fake_arm_board.h"

namespace haptic {
namespace {

using Fault = FakeArmBoard::Fault;
constexpr std::uint64_t kForEver = ~std::uint64_t{0};

/// An operator who follows the instructions: torque on the axes by the last instruction and its
/// time.
struct Bench {
  Bench()
      : read(read_comedi_arm(
            load_manifest(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml"))),
        board(read.arm, ArmCalibrator::kPeriod, read.arm.calibration_pose, 24, 0xFFFFF0) {
    board.mechanics = {2e-3, 0.2};  // slow enough for readings every 10 ms
    board.hand = [this](std::size_t axis, const auto& q) {
      const double goal = static_cast<int>(axis) == moved ? 0.3 : 0.0;
      return 0.2 * (read.arm.calibration_pose[axis] + goal - q[axis]);
    };
    steps.say = [this](const std::string& line) {
      said.push_back(line);
      moved = line.starts_with("Axis") ? std::stoi(line.substr(5)) : -1;
      if (lazy) moved = -1;
    };
    steps.wait = [](double) {};  // the board's time is its exchanges
    steps.in_pose = [this] { return moved < 0; };
    settings.timeout_s = 20.0;
  }

  std::string refusal() {
    try {
      ArmCalibrator::run(read.arm, board, steps, settings);
    } catch (const OperationError& error) {
      EXPECT_TRUE(board.outputs_are_zero());
      EXPECT_FALSE(board.amplifiers_on());
      return error.what();
    }
    return "not refused";
  }

  ComediArm read;
  FakeArmBoard board;
  ArmCalibrator::Steps steps;
  ArmCalibrator::Settings settings;
  std::vector<std::string> said;
  int moved = -1;
  bool lazy = false;
};

TEST(ArmCalibrator, reads_the_counters_in_the_pose) {
  Bench bench;
  const std::vector<std::uint32_t> counts =
      ArmCalibrator::run(bench.read.arm, bench.board, bench.steps, bench.settings);
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(bench.said.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    // The hand's spring ends within a few counts of the pose; still means 4 counts in half a
    // second, at a time constant of a second 4 / (1 - e^-0.5) of them are left.
    const auto off = static_cast<std::int32_t>((counts[i] - 0xFFFFF0) << 8) / 256;
    EXPECT_LE(std::abs(off), 11) << i;
  }
  EXPECT_EQ(bench.board.largest_torque(), 0.0);
}

TEST(ArmCalibrator, finds_a_counter_that_runs_backwards) {
  Bench bench;
  bench.board.script.push_back({0, kForEver, Fault::kBackwards, 1});
  const std::string line = bench.refusal();
  EXPECT_NE(line.find("axis[1]: its counter runs backwards"), std::string::npos) << line;
  EXPECT_NE(line.find("encoder_direction = -1"), std::string::npos) << line;
  EXPECT_EQ(bench.said.size(), 2u);
}

TEST(ArmCalibrator, finds_counters_in_another_order) {
  Bench bench;
  bench.board.hand = [&bench](std::size_t axis, const auto& q) {
    // Counter 2 changes when joint 0 moves, as with swapped plugs.
    const double goal = bench.moved == 0 && axis == 2 ? 0.5 : 0.0;
    return 0.2 * (bench.read.arm.calibration_pose[axis] + goal - q[axis]);
  };
  EXPECT_NE(bench.refusal().find("the counter of axis[2] changed"), std::string::npos);
}

TEST(ArmCalibrator, reports_a_counter_that_does_not_change) {
  Bench bench;
  bench.lazy = true;
  EXPECT_NE(bench.refusal().find("axis[0] was not moved, or its counter did not change"),
            std::string::npos);
}

TEST(ArmCalibrator, reports_an_arm_that_is_not_held_still) {
  Bench bench;
  bench.settings.check_directions = false;
  bench.settings.timeout_s = 5.0;
  bench.board.hand = [&bench](std::size_t, const auto&) {
    return 0.1 * std::sin(0.1 * static_cast<double>(bench.board.exchanges()));
  };
  EXPECT_NE(bench.refusal().find("not held still"), std::string::npos);
}

TEST(ArmCalibrator, reports_a_board_that_does_not_answer) {
  Bench bench;
  bench.board.script.push_back({20, kForEver, Fault::kIoError});
  EXPECT_NE(bench.refusal().find("board does not answer"), std::string::npos);
}

}  // namespace
}  // namespace haptic
