// National Instruments' counters under the real libcomedi (comedilib, demo/gpct_encoder.c).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "rt/device/comedi/comedi_board.h"
#include "rt/device/comedi/counter_unwrap.h"
#include "rt/device/comedi/open_comedi_arm.h"
#include "shared/error.h"
#include "tests/rt/device/comedi/emulated_comedi.h"
#include "tests/rt/device/comedi/stepped_clock.h"

namespace haptic {
namespace {

// The WoodenHaptics arm's manifest with this board instead of the 626.
DeviceManifest wired_to(const EmulatedComedi& kernel, const std::string& bits) {
  std::ifstream file(HAPTIC_FIRMWARE_CONFIG "/woodenhaptics.toml");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), text.find('\n', text.find(from)) - text.find(from), to);
  };
  put("[board]", "[board]\nfile = \"" + kernel.node().string() + "\"");
  put("driver = ", "driver = \"ni_pcimio\"");
  put("zero_code = ", "");
  put("counters = ", "counters = [0, 0, 0]\ncounter_subdevices = [3, 4, 5]");
  put("counter_bits = ", "counter_bits = " + bits);
  put("counter_setup = ",
      "counter_setup = \"ni-gpct\"\nencoder_lines = [0, 1, 2, 4, 5, 6, 8, 9, 10]");
  // Every edge is counted here.
  for (int axis = 0; axis < 3; ++axis) put("counts_per_turn = 500", "counts_per_turn = 2000");
  return parse_manifest(text, "arm.toml");
}

class Gpct : public testing::TestWithParam<unsigned> {
 protected:
  Gpct() {
    kernel_.is_ni = true;
    for (EmulatedGpct& counter : kernel_.gpct) {
      counter.most = GetParam() == 32 ? 0xFFFFFFFFU : 0xFFFFFFU;
    }
    kernel_.lines_in = kStop | kButton;
  }
  DeviceManifest manifest() const { return wired_to(kernel_, std::to_string(GetParam())); }
  BoardSettings wiring() const { return read_board(manifest(), 3, 3); }

  EmulatedComedi kernel_;
};

TEST_P(Gpct, are_told_in_the_published_order_and_count) {
  const ComediBoard board(wiring(), ComediBoard::Counters::kConfigure);
  const std::vector<std::string> expected{"reset",    "write 0", "write 1",  "write 2",
                                          "gate 0",   "gate 1",  "source A", "source B",
                                          "source Z", "mode",    "arm"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kernel_.gpct[i].told(), expected) << i;
    EXPECT_TRUE(kernel_.gpct[i].counts()) << i;
    EXPECT_EQ(kernel_.gpct[i].count(), std::uint32_t{1} << (GetParam() - 1)) << i;
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned line = 4 * static_cast<unsigned>(i) + k;  // of the manifest
      EXPECT_EQ(kernel_.gpct[i].lines()[k], static_cast<int>(NI_GPCT_PFI_OTHER_SELECT(line)));
    }
  }
  EXPECT_EQ(board.description().counter_bits, GetParam());
}

TEST_P(Gpct, are_not_reset_when_a_calibration_file_refers_to_their_counts) {
  const ComediBoard board(wiring(), ComediBoard::Counters::kLeave);
  EXPECT_TRUE(kernel_.gpct[0].told().empty());
}

TEST_P(Gpct, wrap_and_are_followed_over_both_ends) {
  ComediBoard board(wiring(), ComediBoard::Counters::kConfigure);
  BoardInputs in;
  BoardOutputs out;
  out.codes = {8192, 8192, 8192};
  ASSERT_EQ(board.exchange(out, in), DeviceStatus::kOk);
  std::array<CounterUnwrap, 3> unwrap{CounterUnwrap(GetParam()), CounterUnwrap(GetParam()),
                                      CounterUnwrap(GetParam())};
  for (std::size_t i = 0; i < 3; ++i) unwrap[i].start(in.counts[i]);
  // Seven steps of less than half the range each, axis 1 the other way: over an end and on.
  const std::int64_t step = (std::int64_t{1} << (GetParam() - 1)) - 12345;
  bool wrapped = false;
  for (int k = 1; k <= 7; ++k) {
    const std::uint32_t before = in.counts[0];
    kernel_.gpct[0].turn(step);
    kernel_.gpct[1].turn(-step);
    kernel_.gpct[2].turn(k);
    ASSERT_EQ(board.exchange(out, in), DeviceStatus::kOk);
    EXPECT_EQ(unwrap[0].advance(in.counts[0]), k * step);
    EXPECT_EQ(unwrap[1].advance(in.counts[1]), -k * step);
    EXPECT_EQ(unwrap[2].advance(in.counts[2]), k * (k + 1) / 2);
    wrapped = wrapped || in.counts[0] < before;
  }
  EXPECT_TRUE(wrapped);
}

TEST_P(Gpct, carry_an_arm_from_homing_to_a_force) {
  SteppedClock clock;
  const auto device = open_comedi_arm(manifest(), 1000.0, &clock);
  device->home();
  DeviceState state;
  for (int k = 0; k < 600; ++k) {
    clock.pass(0.001);
    ASSERT_EQ(device->sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device->actuate({}), DeviceStatus::kOk);
  }
  ASSERT_TRUE(state.homed);
  device->set_enabled(true);
  // 0.1 rad of the first axis in half a second: 2000 counts a turn, 16 turns of the motor.
  for (int k = 0; k < 509; ++k) {
    clock.pass(0.001);
    kernel_.gpct[0].turn(1);
    ASSERT_EQ(device->sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device->actuate({{1.0, 0.0, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
  }
  // The handle is 0.245 m from that axis; one cycle's count is still on its way.
  EXPECT_NEAR(state.pose.position.norm(), 2.0 * 0.245 * std::sin(0.5 * 508 * 2e-4 * M_PI / 3.2),
              1e-4);
  EXPECT_GT(kernel_.output[0], 8192U);
}

TEST_P(Gpct, of_another_width_are_refused) {
  kernel_.gpct[1].most = GetParam() == 32 ? 0xFFFFFFU : 0xFFFFFFFFU;
  EXPECT_THROW(ComediBoard(wiring(), ComediBoard::Counters::kConfigure), InputError);
}

INSTANTIATE_TEST_SUITE_P(Widths, Gpct, testing::Values(24U, 32U));

}  // namespace
}  // namespace haptic
