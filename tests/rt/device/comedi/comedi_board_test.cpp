// The real libcomedi and our board over it, against emulated kernel calls.
#include "rt/device/comedi/comedi_board.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "rt/device/comedi/arm_calibration.h"
#include "rt/device/comedi/open_comedi_arm.h"
#include "shared/error.h"
#include "tests/rt/device/comedi/emulated_comedi.h"
#include "tests/rt/device/comedi/stepped_clock.h"

namespace haptic {
namespace {

using Counters = ComediBoard::Counters;

BoardSettings wiring(const EmulatedComedi& kernel) {
  BoardSettings board =
      read_board(load_manifest(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml"), 3, 3);
  board.file = kernel.node();
  return board;
}

std::string refusal(const BoardSettings& settings) {
  try {
    ComediBoard board(settings, Counters::kConfigure);
  } catch (const InputError& error) {
    return std::string("input: ") + error.what();
  } catch (const OperationError& error) {
    return std::string("operation: ") + error.what();
  }
  return "not refused";
}

BoardOutputs driven() {
  BoardOutputs out;
  out.codes = {9000, 7000, 8000};
  out.enabled = true;
  return out;
}

void expect_zero(const EmulatedComedi& kernel) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kernel.output[static_cast<std::size_t>(i)], kZero) << i;
  EXPECT_EQ(kernel.lines_out & kEnable, 0u);
}

// The guard's proof, repeated while the daemon drives the board.
TEST(ComediOutputs, say_what_keeps_them_from_being_made_safe) {
  EmulatedComedi kernel;
  ComediOutputs guard(wiring(kernel));
  ComediBoard board(wiring(kernel), Counters::kConfigure);
  BoardInputs in;
  ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
  const auto outputs = kernel.output;
  const std::uint32_t lines = kernel.lines_out;
  EXPECT_EQ(guard.obstacle(), "");
  EXPECT_EQ(kernel.output, outputs);
  EXPECT_EQ(kernel.lines_out, lines);
  ComediOutputs other(wiring(kernel));
  ASSERT_TRUE(other.lock());
  EXPECT_EQ(guard.obstacle(), "another program has locked its outputs");
  EXPECT_EQ(other.obstacle(), "");
  other.unlock();
  EXPECT_EQ(guard.obstacle(), "");
  kernel.gone = true;
  EXPECT_EQ(guard.obstacle(), "board does not answer: No such device");
}

TEST(ComediBoard, opening_and_closing_leave_zero) {
  EmulatedComedi kernel;
  kernel.lines_out = kEnable;
  {
    ComediBoard board(wiring(kernel), Counters::kConfigure);
    expect_zero(kernel);
    EXPECT_EQ(kernel.output[3], 12345u);  // not ours
    EXPECT_EQ(kernel.direction, kEnable);
    EXPECT_EQ(board.description().counter_bits, 24u);
    EXPECT_EQ(board.description().driver, "s626");
    BoardInputs in;
    ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
    EXPECT_EQ(kernel.output[0], 9000u);
    EXPECT_NE(kernel.lines_out & kEnable, 0u);
  }
  expect_zero(kernel);
}

TEST(ComediBoard, one_list_a_cycle_writes_and_reads_everything) {
  EmulatedComedi kernel;
  ComediBoard board(wiring(kernel), Counters::kConfigure);
  kernel.counter = {5, 0xFFFFFF, 77, 0, 0, 0};
  kernel.lines_in = kStop | kButton;
  kernel.lists = kernel.singles = 0;
  BoardInputs in;
  ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
  EXPECT_EQ(kernel.lists, 1u);
  EXPECT_EQ(kernel.singles, 0u);
  EXPECT_EQ(kernel.instructions, 7u);  // lines, three outputs, three counters
  EXPECT_EQ(kernel.output[1], 7000u);
  EXPECT_EQ(in.counts[0], 5u);
  EXPECT_EQ(in.counts[1], 0xFFFFFFu);
  EXPECT_FALSE(in.stop);  // high: the wire is whole
  EXPECT_EQ(in.buttons, 0u);
  kernel.lines_in = 0;
  ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
  EXPECT_TRUE(in.stop);
  EXPECT_EQ(in.buttons, 1u);
}

TEST(ComediBoard, reads_separately_when_configured) {
  EmulatedComedi kernel;
  BoardSettings settings = wiring(kernel);
  settings.reads_apart = true;
  settings.monitor = {0, 1, 2};
  ComediBoard board(settings, Counters::kConfigure);
  kernel.lines_in = kStop;
  kernel.lists = 0;
  BoardInputs in;
  ASSERT_EQ(board.write(driven()), DeviceStatus::kOk);
  EXPECT_EQ(kernel.instructions, 4u);
  kernel.counter[2] = 42;
  ASSERT_EQ(board.read(in), DeviceStatus::kOk);
  EXPECT_EQ(kernel.instructions, 7u);  // three counters, lines, three outputs read back
  EXPECT_EQ(kernel.lists, 2u);
  EXPECT_EQ(in.counts[2], 42u);
  EXPECT_EQ(in.monitor[0], 9000u);
  EXPECT_EQ(in.buttons, 1u);
  EXPECT_NE(kernel.lines_out & kEnable, 0u);  // reading wrote nothing
}

TEST(ComediBoard, counters_start_in_the_middle_or_stay) {
  EmulatedComedi kernel;
  { ComediBoard board(wiring(kernel), Counters::kConfigure); }
  EXPECT_EQ(kernel.presets, (std::vector<std::uint32_t>{0x800000, 0x800000, 0x800000}));
  kernel.counter[0] = 1234;
  { ComediBoard board(wiring(kernel), Counters::kLeave); }
  EXPECT_EQ(kernel.presets.size(), 3u);
  EXPECT_EQ(kernel.counter[0], 1234u);
}

TEST(ComediBoard, a_list_that_fails_anywhere_ends_at_zero) {
  for (const bool counted : {false, true}) {
    for (int i = 0; i < 7; ++i) {
      EmulatedComedi kernel;
      kernel.counts_completed = counted;
      ComediBoard board(wiring(kernel), Counters::kConfigure);
      BoardInputs in;
      ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
      kernel.fail_instruction = i;
      const BoardInputs before = in;
      kernel.counter[0] += 9;
      EXPECT_EQ(board.exchange(driven(), in), DeviceStatus::kDisconnected) << i;
      EXPECT_EQ(in.counts, before.counts);
      expect_zero(kernel);
      kernel.fail_instruction = -1;
      EXPECT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
    }
  }
}

TEST(ComediBoard, one_failed_converter_does_not_keep_the_others_from_zero) {
  EmulatedComedi kernel;
  ComediBoard board(wiring(kernel), Counters::kConfigure);
  BoardInputs in;
  ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
  kernel.fail_output = 0;
  EXPECT_EQ(board.exchange(driven(), in), DeviceStatus::kDisconnected);
  EXPECT_EQ(kernel.output[0], 9000u);         // cannot be written,
  EXPECT_EQ(kernel.lines_out & kEnable, 0u);  // but its amplifier is off
  EXPECT_EQ(kernel.output[1], kZero);
  EXPECT_EQ(kernel.output[2], kZero);
}

// The same range has another index in every channel's own list, and another number of codes.
TEST(ComediBoard, range_codes_and_zero_are_read_for_every_output) {
  EmulatedComedi kernel;
  const std::array<int, 2> five{-5'000'000, 5'000'000}, ten{-10'000'000, 10'000'000};
  kernel.channels = {{0x3FFF, {ten, five}},
                     {0xFFF, {five, ten}},
                     {0xFFFF, {ten, {0, 5'000'000}}},
                     {0x3FFF, {ten}}};
  kernel.output = {1, 2, 3, 4};
  std::ifstream file(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), text.find('\n', text.find(from)) - text.find(from), to);
  };
  put("outputs = ", "file = \"" + kernel.node().string() + "\"");
  put("output_range = ", "output_range = [-5.0, 5.0]\nmax_volts = 4.0");
  put("zero_code = ", "zero_code = 8000");
  text.replace(text.find("[rating]"), 0,
               "[[board.output]]\nchannel = 0\n"
               "[[board.output]]\nchannel = 1\nrange = [-5.0, 5.0]\n"
               "[[board.output]]\nchannel = 2\nrange = [0.0, 5.0]\nzero_code = 7\n");
  const BoardSettings settings = read_board(parse_manifest(text, "arm.toml"), 3, 3);
  ASSERT_EQ(settings.outputs.size(), 3u);
  EXPECT_EQ(settings.outputs[0], (BoardAnalogOutput{0, -5.0, 5.0, 4.0, 8000}));
  EXPECT_EQ(settings.outputs[1], (BoardAnalogOutput{1, -5.0, 5.0, 4.0, std::nullopt}));
  EXPECT_EQ(settings.outputs[2], (BoardAnalogOutput{2, 0.0, 5.0, 4.0, 7}));

  ComediBoard board(settings, Counters::kConfigure);
  BoardOutputs out;
  out.enabled = true;
  for (std::size_t i = 0; i < 3; ++i) out.codes[i] = board.description().outputs[i].code(2.0);
  BoardInputs in;
  ASSERT_EQ(board.exchange(out, in), DeviceStatus::kOk);
  EXPECT_EQ(kernel.range_used, (std::array<unsigned, 4>{1, 0, 1, 0}));
  // Codes are shifted with the zero: 8000 is 0 V where the range says 8192, 7 where it says
  // 0. Within half a code of the coarsest converter, 10 V in 12 bits.
  EXPECT_NEAR(kernel.volts(0), 2.0 - (8191.5 - 8000.0) * 10.0 / 16383.0, 1.3e-3);
  EXPECT_NEAR(kernel.volts(1), 2.0, 1.3e-3);
  EXPECT_NEAR(kernel.volts(2), 2.0 + 7.0 * 5.0 / 65535.0, 1.3e-3);

  // As the guard does it, over a separate descriptor.
  ComediOutputs guard(settings);
  EXPECT_TRUE(guard.make_safe());
  EXPECT_EQ(kernel.output, (std::array<std::uint32_t, 4>{8000, 2048, 7, 4}));
  EXPECT_EQ(kernel.range_used, (std::array<unsigned, 4>{1, 0, 1, 0}));
}

TEST(ComediBoard, an_output_without_its_range_is_refused_by_its_channel) {
  EmulatedComedi kernel;
  kernel.channels.resize(4);
  kernel.channels[1].ranges = {{-5'000'000, 5'000'000}};
  EXPECT_NE(refusal(wiring(kernel)).find("a range of channel 1 of subdevice 1"), std::string::npos)
      << refusal(wiring(kernel));
}

constexpr std::uint32_t kBrake = 1U << 1, kHeartbeat = 1U << 2;

BoardSettings wired_with_lines(const EmulatedComedi& kernel) {
  BoardSettings settings = wiring(kernel);
  settings.brake_channel = 1;
  settings.heartbeat_channel = 2;
  settings.second_stop_channel = 10;
  settings.second_stop_high = true;  // antivalent: one contact opens, the other one closes
  return settings;
}

TEST(ComediLines, brake_and_heartbeat_go_with_the_enable_line) {
  EmulatedComedi kernel;
  kernel.lines_out = kEnable | kBrake;
  {
    ComediBoard board(wired_with_lines(kernel), Counters::kConfigure);
    EXPECT_EQ(kernel.direction, kEnable | kBrake | kHeartbeat);
    EXPECT_EQ(kernel.lines_out, 0u);
    BoardOutputs out = driven();
    out.brake_released = true;
    BoardInputs in;
    kernel.lists = kernel.singles = 0;
    for (int k = 0; k < 100; ++k) {
      out.heartbeat = !out.heartbeat;
      ASSERT_EQ(board.exchange(out, in), DeviceStatus::kOk);
    }
    EXPECT_EQ(kernel.edges[2], 100u);
    EXPECT_EQ(kernel.lists, 100u);
    EXPECT_EQ(kernel.instructions, 7u);  // no more than without them
    EXPECT_EQ(kernel.lines_out, kEnable | kBrake);
    out.heartbeat = true;
    ASSERT_EQ(board.exchange(out, in), DeviceStatus::kOk);
    ComediOutputs guard(wired_with_lines(kernel));
    EXPECT_TRUE(guard.lock());
    EXPECT_TRUE(guard.make_safe());
    EXPECT_EQ(kernel.lines_out, kHeartbeat);  // brake applied, amplifiers off, no edge
    EXPECT_EQ(kernel.edges[2], 101u);
    // A daemon that lost its outputs to the guard no longer beats.
    for (int k = 0; k < 10; ++k) {
      out.heartbeat = !out.heartbeat;
      EXPECT_EQ(board.exchange(out, in), DeviceStatus::kDisconnected);
    }
    EXPECT_EQ(kernel.edges[2], 101u);
    guard.unlock();
  }
  EXPECT_EQ(kernel.lines_out, 0u);  // low after a release
}

TEST(ComediLines, a_brake_may_be_released_by_low) {
  EmulatedComedi kernel;
  BoardSettings settings = wired_with_lines(kernel);
  settings.brake_high = false;
  ComediBoard board(settings, Counters::kConfigure);
  EXPECT_EQ(kernel.lines_out, kBrake);
  BoardOutputs out = driven();
  out.brake_released = true;
  BoardInputs in;
  ASSERT_EQ(board.exchange(out, in), DeviceStatus::kOk);
  EXPECT_EQ(kernel.lines_out, kEnable);
  kernel.fail_instruction = 2;
  EXPECT_EQ(board.exchange(out, in), DeviceStatus::kDisconnected);
  EXPECT_EQ(kernel.lines_out, kBrake);
}

TEST(ComediLines, two_stop_channels_of_either_polarity) {
  constexpr std::uint32_t kSecond = 1U << 10;
  const std::uint32_t up = kButton;
  for (const bool antivalent : {false, true}) {
    EmulatedComedi kernel;
    BoardSettings settings = wired_with_lines(kernel);
    settings.second_stop_high = antivalent;
    ComediBoard board(settings, Counters::kConfigure);
    const std::uint32_t runs = antivalent ? 0 : kSecond, stops = antivalent ? kSecond : 0;
    const auto read = [&](std::uint32_t lines) {
      BoardInputs in;
      kernel.lines_in = lines;
      EXPECT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
      BoardInputs alone;
      EXPECT_EQ(board.read(alone), DeviceStatus::kOk);  // after a slip
      EXPECT_EQ(alone.stop, in.stop);
      EXPECT_EQ(alone.stop_channels_differ, in.stop_channels_differ);
      return std::pair(in.stop, in.stop_channels_differ);
    };
    EXPECT_EQ(read(kStop | up | runs), std::pair(false, false));
    EXPECT_EQ(read(up | runs), std::pair(true, true));
    EXPECT_EQ(read(kStop | up | stops), std::pair(true, true));
    EXPECT_EQ(read(up | stops), std::pair(true, false));
  }
}

TEST(ComediLines, a_separate_reading_reports_lines_and_writes_nothing) {
  EmulatedComedi kernel;
  ComediBoard board(wiring(kernel), Counters::kConfigure);
  kernel.lines_in = kStop | kButton;
  BoardInputs in;
  ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
  ASSERT_FALSE(in.stop);
  kernel.lines_in = 0;
  kernel.counter[1] = 77;
  ASSERT_EQ(board.read(in), DeviceStatus::kOk);
  EXPECT_TRUE(in.stop);
  EXPECT_EQ(in.counts[1], 77u);
  EXPECT_EQ(kernel.lines_out, kEnable);
  EXPECT_EQ(kernel.output[0], 9000u);
}

TEST(ComediLines, their_keys_are_checked) {
  EmulatedComedi kernel;
  std::ifstream file(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto with = [&](const std::string& lines) {
    std::string changed = text;
    changed.replace(changed.find("[board]"), 7, "[board]\n" + lines);
    return read_board(parse_manifest(changed, "arm.toml"), 3, 3);
  };
  const BoardSettings read = with(
      "heartbeat_channel = 4\nbrake_channel = 5\nbrake_level = \"low\"\nbrake_release_s = 0.3\n"
      "second_stop_channel = 11\nsecond_stop_level = \"high\"\nstop_discrepancy_s = 0.1");
  EXPECT_EQ(read.heartbeat_channel, 4u);
  EXPECT_EQ(read.brake_channel, 5u);
  EXPECT_FALSE(read.brake_high);
  EXPECT_EQ(read.brake_release_s, 0.3);
  EXPECT_EQ(read.second_stop_channel, 11u);
  EXPECT_TRUE(read.second_stop_high);
  EXPECT_EQ(read.stop_discrepancy_s, 0.1);
  EXPECT_EQ(with("").stop_discrepancy_s, 0.05);
  EXPECT_FALSE(with("second_stop_channel = 11").second_stop_high);  // as the first one
  EXPECT_FALSE(with("").has_output_lines() && with("").heartbeat_channel);
  for (const char* bad :
       {"heartbeat_channel = 0", "brake_channel = 0", "heartbeat_channel = 5\nbrake_channel = 5",
        "brake_channel = 8", "heartbeat_channel = 9", "second_stop_channel = 8",
        "second_stop_channel = 9", "second_stop_channel = 0", "heartbeat_channel = 32",
        "stop_discrepancy_s = 0.0", "brake_release_s = -1.0", "brake_level = \"up\""}) {
    EXPECT_THROW(with(bad), InputError) << bad;
  }
}

TEST(ComediBoard, a_lost_board_is_reported_as_disconnected) {
  EmulatedComedi kernel;
  ComediBoard board(wiring(kernel), Counters::kConfigure);
  kernel.gone = true;
  BoardInputs in;
  EXPECT_EQ(board.exchange(driven(), in), DeviceStatus::kDisconnected);
  EXPECT_FALSE(board.make_safe());
}

TEST(ComediBoard, refuses_boards_that_do_not_fit) {
  EmulatedComedi kernel;
  kernel.outputs_there = 2;
  EXPECT_NE(refusal(wiring(kernel)).find("input: "), std::string::npos);
  EXPECT_NE(refusal(wiring(kernel)).find("board.outputs: found channel 2, expected one of the 2"),
            std::string::npos)
      << refusal(wiring(kernel));
  kernel.outputs_there = 4;
  BoardSettings settings = wiring(kernel);
  settings.driver = "multiq3";
  EXPECT_NE(refusal(settings).find("board.driver: found s626"), std::string::npos);
  settings = wiring(kernel);
  settings.counter_bits = 32;
  EXPECT_NE(refusal(settings).find("board.counter_bits: found counters up to 16777215"),
            std::string::npos);
  settings = wiring(kernel);
  settings.counters = {0, 1, 6};
  EXPECT_NE(refusal(settings).find("board.counters: found channel 6"), std::string::npos);
  settings = wiring(kernel);
  for (BoardAnalogOutput& output : settings.outputs) {
    output = {output.channel, -5.0, 5.0, 5.0, std::nullopt};
  }
  EXPECT_NE(refusal(settings).find("-10 to 10 V"), std::string::npos);
  settings = wiring(kernel);
  settings.file = "/nowhere/comedi0";
  EXPECT_NE(refusal(settings).find("operation: /nowhere/comedi0: board cannot be opened: No such"),
            std::string::npos)
      << refusal(settings);
  EXPECT_EQ(kernel.lines_out & kEnable, 0u);
}

TEST(ComediBoard, belongs_to_one_program_but_always_to_the_guard) {
  EmulatedComedi kernel;
  ComediBoard board(wiring(kernel), Counters::kConfigure);
  EXPECT_NE(refusal(wiring(kernel)).find("used by another hapticd"), std::string::npos);
  BoardInputs in;
  ASSERT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
  ComediOutputs guard(wiring(kernel));
  ASSERT_EQ(kernel.output[0], 9000u);  // opening touches nothing
  EXPECT_TRUE(guard.lock());
  EXPECT_TRUE(guard.make_safe());
  EXPECT_TRUE(guard.enable_dropped());
  expect_zero(kernel);
  EXPECT_EQ(board.exchange(driven(), in),
            DeviceStatus::kDisconnected);  // the daemon after the guard took the board
  expect_zero(kernel);
  guard.unlock();
  EXPECT_EQ(board.exchange(driven(), in), DeviceStatus::kOk);
}

TEST(OpenComediArm, homes_and_pulls_over_the_real_library) {
  EmulatedComedi kernel;
  kernel.lines_in = kStop | kButton;
  std::ifstream file(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.replace(text.find("[board]"), 7, "[board]\nfile = \"" + kernel.node().string() + "\"");
  SteppedClock clock;
  const auto device = open_comedi_arm(parse_manifest(text, "arm.toml"), 1000.0, &clock);
  device->home();
  DeviceState state;
  for (int k = 0; k < 600; ++k) {
    clock.pass(0.001);
    ASSERT_EQ(device->sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device->actuate({}), DeviceStatus::kOk);
  }
  EXPECT_TRUE(state.homed);
  EXPECT_LT(state.pose.position.norm(), 1e-15);  // rounding of quarter turns
  device->set_enabled(true);
  clock.pass(0.001);
  ASSERT_EQ(device->sense(state), DeviceStatus::kOk);
  ASSERT_EQ(device->actuate({{1.0, 0.0, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
  EXPECT_GT(kernel.output[0], kZero);
  EXPECT_NE(kernel.lines_out & kEnable, 0u);
}

TEST(ArmCalibrationFile, is_read_as_written_and_checked) {
  EmulatedComedi kernel;
  const ComediBoard board(wiring(kernel), Counters::kLeave);
  ComediArm read =
      read_comedi_arm(load_manifest(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml"));
  read.board.file = kernel.node();
  const ArmCalibration good{"woodenhaptics",
                            "2026-01-01T00:00:00Z",
                            "boot-1",
                            "s626",
                            "s626",
                            kernel.node(),
                            24,
                            {0, 1, 2},
                            read.arm.calibration_pose,
                            {1, 16777215, 3}};
  const std::filesystem::path path = kernel.node().string() + ".toml";
  const auto saved = [&](const ArmCalibration& c) {
    std::ofstream(path) << calibration_text(c);
    return read_calibration(path);
  };
  const ArmCalibration again = saved(good);
  EXPECT_EQ(again.counts, good.counts);
  EXPECT_EQ(again.pose, good.pose);
  EXPECT_EQ(again.boot_id, good.boot_id);
  const auto refused = [&](ArmCalibration c, const std::string& words) {
    try {
      check_calibration(c, read.arm, read.board, board.description(), "boot-1");
      return words.empty();
    } catch (const OperationError& error) {
      return !words.empty() && std::string(error.what()).find(words) != std::string::npos;
    }
  };
  EXPECT_TRUE(refused(again, ""));
  ArmCalibration other = good;
  other.device = "phantom";
  EXPECT_TRUE(refused(other, "another device"));
  other = good;
  other.driver = "multiq3";
  EXPECT_TRUE(refused(other, "another board"));
  other = good;
  other.counters = {0, 2, 1};
  EXPECT_TRUE(refused(other, "another wiring"));
  other = good;
  other.pose[0] += 0.01;
  EXPECT_TRUE(refused(other, "another calibration pose"));
  other = good;
  other.boot_id = "boot-0";
  EXPECT_TRUE(refused(other, "an earlier boot"));
  other = good;
  other.counts = {1, 1 << 24, 3};
  EXPECT_THROW(saved(other), InputError);
  other.counts = {1, 2};
  EXPECT_THROW(saved(other), InputError);
  std::filesystem::remove(path);
  EXPECT_THROW(read_calibration(path), OperationError);
}

}  // namespace
}  // namespace haptic
