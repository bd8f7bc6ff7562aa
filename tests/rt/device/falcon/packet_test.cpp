#include "rt/device/falcon/packet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

struct GoldenPacket {
  const char* letters;  // bytes 1 to 12
  std::array<std::int16_t, 3> values;
};

// Traces of the vendor's driver (docs/methods/devices.md, "Reference packets").
constexpr GoldenPacket kGoldenPackets[] = {
    {"PPPACEPACMPA", {4095, 3906, 4034}},    {"AMKAMNKAIELA", {2752, 2780, 2888}},
    {"PBFANKFAGPFA", {1311, 1453, 1526}},    {"FJCALNCAOPCA", {661, 731, 766}},
    {"MKEPLBAABKDA", {-2900, 27, 929}},      {"PIBABPDPPGEA", {399, -3087, 1135}},
    {"OIKPCAKPOEKP", {-1394, -1534, -1458}},
};

FalconPacket packet_of(const std::string& text) {
  FalconPacket packet{};
  EXPECT_EQ(text.size(), packet.size());
  std::copy(text.begin(), text.end(), packet.begin());
  return packet;
}

std::string text_of(const FalconPacket& packet) {
  return {packet.begin(), packet.end()};
}

// A reply as the device sends it.
FalconPacket reply(const std::array<std::int16_t, 3>& encoders, int buttons, int homed,
                   char unknown = 'A') {
  FalconPacket packet = encode({});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t n = 0; n < 4; ++n) {
      packet[1 + 4 * i + n] = static_cast<std::uint8_t>('A' + (encoders[i] >> 4 * n & 0xF));
    }
  }
  packet[13] = static_cast<std::uint8_t>('A' + buttons + 16 * homed);
  packet[14] = static_cast<std::uint8_t>(unknown);
  return packet;
}

std::vector<std::uint8_t> repeated(const FalconPacket& packet, int times) {
  std::vector<std::uint8_t> bytes;
  for (int k = 0; k < times; ++k) {
    for (const std::uint8_t byte : packet) bytes.push_back(byte);
  }
  return bytes;
}

std::vector<FalconReport> read_all(FalconPacketReader& reader,
                                   const std::vector<std::uint8_t>& bytes) {
  std::vector<FalconReport> reports;
  for (const std::uint8_t byte : bytes) {
    if (const auto report = reader.push(byte)) reports.push_back(*report);
  }
  return reports;
}

TEST(FalconPacket, traces_of_the_vendors_driver_encode_and_decode) {
  for (const GoldenPacket& golden : kGoldenPackets) {
    const std::string text = fmt::format("<{}EA>", golden.letters);
    EXPECT_EQ(text_of(encode({golden.values, 0x4, false})), text);
    const auto report = decode(packet_of(text));
    ASSERT_TRUE(report) << text;
    EXPECT_EQ(report->encoders, golden.values);
  }
}

TEST(FalconPacket, flags_carry_lights_homing_buttons_and_homed_bits) {
  EXPECT_EQ(text_of(encode({{}, 0x8, true})), "<AAAAAAAAAAAAJA>");    // 'A' + 8 + 1
  EXPECT_EQ(text_of(encode({{}, 0xFF, false})), "<AAAAAAAAAAAAOA>");  // lights alone
  // 'A' + 0x7F = 0xC0 is no letter any more, and still right.
  const auto report = decode(reply({1, -2, 3}, 0xF, 0x7, '<'));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->buttons, 0xF);
  EXPECT_EQ(report->homed, 0x7);
  EXPECT_EQ(decode(reply({1, 2, 3}, 0, 0x3))->homed, 0x3);
}

TEST(FalconPacket, torque_saturates_and_never_wraps) {
  EXPECT_EQ(text_of(encode({{4096, 32767, -32768}, 0, false})),
            text_of(encode({{4095, 4095, -4095}, 0, false})));
}

TEST(FalconPacket, a_packet_with_a_byte_out_of_range_is_not_a_reply) {
  const FalconPacket good = reply({1311, -1453, 1526}, 2, 5);
  ASSERT_TRUE(decode(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    FalconPacket bad = good;
    bad[i] = 0xFF;
    EXPECT_EQ(decode(bad).has_value(), i == 14) << i;  // the meaning of the 14th is unknown
  }
}

TEST(FalconPacketReader, one_lost_byte_costs_one_packet) {
  for (std::size_t lost = 0; lost < kFalconPacketBytes; ++lost) {
    std::vector<std::uint8_t> bytes;
    for (std::int16_t k = 0; k < 4; ++k) {
      for (const std::uint8_t byte : reply({k, 100, -100}, 0, 7)) bytes.push_back(byte);
    }
    bytes.erase(bytes.begin() + 16 + static_cast<std::ptrdiff_t>(lost));
    FalconPacketReader reader;
    const auto reports = read_all(reader, bytes);
    ASSERT_EQ(reports.size(), 3U) << "without byte " << lost;
    EXPECT_EQ(reports[0].encoders[0], 0);
    EXPECT_EQ(reports[1].encoders[0], 2);
    EXPECT_EQ(reports[2].encoders[0], 3);
    EXPECT_EQ(reader.skipped_bytes(), 15U);
  }
}

TEST(FalconPacketReader, starts_in_the_middle_of_a_packet) {
  const FalconPacket packet = reply({-7, 8, -9}, 0, 0);
  for (std::ptrdiff_t from = 1; from < 16; ++from) {
    std::vector<std::uint8_t> bytes = repeated(packet, 2);
    bytes.erase(bytes.begin(), bytes.begin() + from);
    FalconPacketReader reader;
    ASSERT_EQ(read_all(reader, bytes).size(), 1U);
  }
}

// Whatever the line does to the stream: nothing but what was sent comes out of it unless bytes were
// changed into other good ones, and after the damage every packet is found.
TEST(FalconPacketReader, resynchronises_after_any_noise) {
  EXPECT_TRUE(rc::check("noise, then good packets", [] {
    // Noise without letters cannot complete a packet by chance; noise with a begun packet can eat
    // no more than the 14 bytes it still lacks.
    auto noise = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
    FalconPacketReader reader;
    const std::size_t in_noise = read_all(reader, noise).size();
    const auto value = *rc::gen::arbitrary<std::int16_t>();
    const FalconPacket packet = reply({value, 5, 6}, 1, 7);
    const std::vector<std::uint8_t> bytes = repeated(packet, 3);
    const auto reports = read_all(reader, bytes);
    RC_ASSERT(reports.size() >= 2U);
    RC_ASSERT(reports.back().encoders[0] == value);
    const std::size_t used = (reports.size() + in_noise) * kFalconPacketBytes;
    RC_ASSERT(used + reader.skipped_bytes() == noise.size() + bytes.size());
  }));
}

TEST(FalconPacketReader, every_report_is_encoded_and_decoded_exactly) {
  EXPECT_TRUE(rc::check("reports", [] {
    const std::array<std::int16_t, 3> encoders{*rc::gen::arbitrary<std::int16_t>(),
                                               *rc::gen::arbitrary<std::int16_t>(),
                                               *rc::gen::arbitrary<std::int16_t>()};
    const int buttons = *rc::gen::inRange(0, 16), homed = *rc::gen::inRange(0, 8);
    const auto report = decode(reply(encoders, buttons, homed));
    RC_ASSERT(report.has_value());
    RC_ASSERT(report->encoders == encoders);
    RC_ASSERT(report->buttons == buttons);
    RC_ASSERT(report->homed == homed);
  }));
}

TEST(FalconPacketReader, does_not_allocate) {
  const FalconPacket packet = reply({-7, 8, -9}, 0, 0);
  FalconPacketReader reader;
  int found = 0;
  {
    NoAllocation guard;
    for (const std::uint8_t byte : packet) found += reader.push(byte).has_value() ? 1 : 0;
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace haptic
