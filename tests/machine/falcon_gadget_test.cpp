// The Falcon emulator against the reference values of docs/methods/devices.md: a device that is
// wrong would prove nothing about its driver.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "tests/machine/gadget/falcon_firmware.h"
#include "tests/machine/gadget/falcon_mechanics.h"

namespace haptic::machine {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes(const std::string& text) {
  return {text.begin(), text.end()};
}

Bytes answer_to(FalconFirmware& firmware, const Bytes& request) {
  Bytes answer;
  firmware.receive(request, answer);
  return answer;
}

TEST(FalconMechanics, counts_of_the_golden_positions) {
  // "Reference positions"; the table's counts are rounded from exact angles, so they agree exactly.
  struct Golden {
    FalconMechanics::Vector position;
    std::array<int, 3> counts;
  };
  const Golden table[] = {
      {{0, 0, .075}, {-1463, -1463, -1463}}, {{0, 0, .11}, {-516, -516, -516}},
      {{0, 0, .17}, {872, 872, 872}},        {{.03, 0, .11}, {-228, -994, -28}},
      {{0, .03, .11}, {-985, -260, -6}},     {{.03, -.02, .12}, {300, -780, -27}},
      {{-.04, .03, .13}, {-499, 813, 156}}};
  for (const Golden& row : table)
    EXPECT_EQ(FalconMechanics::counts(FalconMechanics::angles(row.position)), row.counts);
}

TEST(FalconMechanics, golden_torque_holds_its_force) {
  // "Reference positions": at (0,0,.11), 8.9 N along z is .215 N·m a joint; a hand of 400 N/m then
  // settles 8.9/400 m away. The torque's third digit is worth 0.25 %.
  FalconMechanics grip;
  grip.set_hand({0, 0, 0.11});
  grip.set_hand_stiffness(400);
  for (int i = 0; i < 20; ++i) grip.advance(0.1, {0, 0, 0});
  EXPECT_NEAR(grip.position()[2], 0.11, 1e-6);
  // The lever changes with the way: ask for the force at the place where it settles, by small
  // torque.
  for (int i = 0; i < 20; ++i) grip.advance(0.1, {.00215, .00215, .00215});
  EXPECT_NEAR(grip.position()[2] - 0.11, 0.089 / 400, 0.0089 / 400 * 0.1);
  EXPECT_NEAR(grip.position()[0], 0, 1e-6);
}

TEST(FalconFirmware, runs_after_handshake_and_upload_only) {
  FalconFirmware falcon(4, false);
  EXPECT_TRUE(answer_to(falcon, {0x0A, 0x43, 0x0D}).empty());
  falcon.set_divisor(0x4138);
  falcon.set_dtr(false);
  falcon.set_dtr(true);
  EXPECT_EQ(answer_to(falcon, {0x0A, 0x43, 0x0D}), (Bytes{0x0A, 0x44, 0x2C, 0x0D}));
  falcon.set_dtr(false);
  falcon.set_divisor(0x15);
  EXPECT_EQ(answer_to(falcon, {0x41}), (Bytes{0x41}));
  falcon.fault().bad_echo = 1;
  EXPECT_EQ(answer_to(falcon, {0xAA, 0x08}), (Bytes{0xBA, 0x08}));
  EXPECT_EQ(answer_to(falcon, {1, 2}), (Bytes{1, 2}));
  EXPECT_FALSE(falcon.running());
  falcon.set_divisor(2);
  EXPECT_TRUE(falcon.running());
}

TEST(FalconFirmware, decodes_the_golden_packets) {
  // "Reference packets".
  FalconFirmware falcon(0, true);
  falcon.set_divisor(2);
  EXPECT_EQ(answer_to(falcon, bytes("<PPPACEPACMPAEA>")).size(), 16U);
  EXPECT_EQ(falcon.motors(), (std::array<int, 3>{4095, 3906, 4034}));
  answer_to(falcon, bytes("<MKEPLBAABKDAEA>"));
  EXPECT_EQ(falcon.motors(), (std::array<int, 3>{-2900, 27, 929}));
}

TEST(FalconFirmware, resynchronises_and_keeps_its_motor_outputs_on_invalid_bytes) {
  FalconFirmware falcon(0, true);
  falcon.set_divisor(2);
  answer_to(falcon, bytes("<FJCALNCAOPCAEA>"));
  EXPECT_TRUE(answer_to(falcon, bytes("xx<FJCALNCA!PCAEA>")).empty());
  EXPECT_EQ(falcon.motors(), (std::array<int, 3>{661, 731, 766}));
  EXPECT_EQ(falcon.broken_packets(), 3U);
  EXPECT_EQ(answer_to(falcon, bytes("<AAAAAAAAAAAAEA>")).size(), 16U);
}

TEST(FalconFirmware, homes_when_pulled_out_and_pushed_in) {
  FalconFirmware falcon(0, true);
  falcon.set_divisor(2);
  const Bytes request = bytes("<AAAAAAAAAAAABA>");  // homing bit set
  falcon.set_angles(FalconMechanics::angles({0, 0, .125}));
  EXPECT_EQ(answer_to(falcon, request)[13], 0x41);
  EXPECT_EQ(answer_to(falcon, request).at(1), 'A');  // counts from power-on
  falcon.set_angles(FalconMechanics::angles({0, 0, .17}));
  falcon.set_angles(FalconMechanics::angles({0, 0, .075}));
  const Bytes reply = answer_to(falcon, request);
  EXPECT_EQ(reply[13], 0x41 + 0x70);
  EXPECT_EQ(std::string(reply.begin() + 1, reply.begin() + 5), "JEKP");  // -1463 = 0xFA49
  EXPECT_EQ(answer_to(falcon, bytes("<AAAAAAAAAAAAAA>"))[13], 0x41);  // flags only while asked for
}

}  // namespace
}  // namespace haptic::machine
