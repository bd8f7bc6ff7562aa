// The byte stream of the Falcon: after any bytes a valid packet is found, and every decoded packet
// is one that a device can send.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "rt/device/falcon/packet.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  FalconPacketReader reader;
  std::size_t reports = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::optional<FalconReport> report = reader.push(data[i]);
    if (!report) continue;
    ++reports;
    demand((report->buttons & ~0x0F) == 0 && (report->homed & ~0x07) == 0, "flags have four bits");
    // A report is made of the last 16 bytes and of nothing older.
    demand(i + 1 >= kFalconPacketBytes, "a report takes sixteen bytes");
    FalconPacket packet;
    std::copy_n(data + i + 1 - kFalconPacketBytes, kFalconPacketBytes, packet.begin());
    const std::optional<FalconReport> alone = decode(packet);
    demand(alone && alone->encoders == report->encoders && alone->buttons == report->buttons &&
               alone->homed == report->homed,
           "the stream and the packet agree");
  }
  demand(reader.skipped_bytes() + reports * kFalconPacketBytes <= size, "a byte counts once");

  // Commands have the shape of replies but for the flags; any three torques make a packet that
  // reads back as these, at most at the firmware's limit.
  FalconCommand command;
  if (size >= 6) std::memcpy(command.motors.data(), data, 6);
  if (size >= 7) command.leds = data[6];
  const FalconPacket packet = encode(command);
  demand(packet.front() == '<' && packet.back() == '>', "a packet has its ends");
  demand(std::all_of(packet.begin() + 1, packet.end() - 1,
                     [](std::uint8_t byte) { return byte >= 'A' && byte <= 'A' + 15; }),
         "a packet is nibbles");
  // A broken packet affects no later one: the second of two valid packets after any stream is
  // found.
  std::optional<FalconReport> last;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const std::uint8_t byte : packet) {
      if (const auto report = reader.push(byte)) last = report;
    }
  }
  const std::optional<FalconReport> direct = decode(packet);
  demand(direct.has_value() == last.has_value() || last.has_value(), "a good packet is found");
  if (direct) demand(last && last->encoders == direct->encoders, "and has its content");
  return 0;
}
