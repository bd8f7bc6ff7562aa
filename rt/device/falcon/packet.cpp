#include "rt/device/falcon/packet.h"

#include <algorithm>

namespace haptic {
namespace {

constexpr std::uint8_t kBegin = '<', kEnd = '>', kZero = 'A';
constexpr std::size_t kFlags = 13, kUnknown = 14, kLast = 15;

void put_int16(std::uint8_t* to, std::int16_t value) HAPTIC_REALTIME {
  auto bits = static_cast<std::uint16_t>(value);
  for (int nibble = 0; nibble < 4; ++nibble, bits = static_cast<std::uint16_t>(bits >> 4)) {
    to[nibble] = static_cast<std::uint8_t>(kZero + (bits & 0xF));
  }
}

std::int16_t get_int16(const std::uint8_t* from) HAPTIC_REALTIME {
  unsigned bits = 0;
  for (int nibble = 3; nibble >= 0; --nibble) bits = bits << 4 | (from[nibble] - unsigned{kZero});
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(bits));
}

// Whether a reply can have `byte` at `place`. Flags: buttons in bits 0..3, homed in 4..6.
bool fits(std::uint8_t byte, std::size_t place) HAPTIC_REALTIME {
  if (place == 0) return byte == kBegin;
  if (place < kFlags) return byte >= kZero && byte <= kZero + 0xF;
  if (place == kFlags) return byte >= kZero && byte <= kZero + 0x7F;
  return place == kUnknown || byte == kEnd;
}

}  // namespace

FalconPacket encode(const FalconCommand& command) HAPTIC_REALTIME {
  constexpr std::int16_t kMax = 4095;
  FalconPacket packet{};
  packet[0] = kBegin;
  for (std::size_t i = 0; i < 3; ++i) {
    put_int16(&packet[1 + 4 * i],
              std::clamp(command.motors[i], static_cast<std::int16_t>(-kMax), kMax));
  }
  packet[kFlags] = static_cast<std::uint8_t>(
      kZero + ((command.leds & kFalconLedBits) | (command.homing ? 1U : 0U)));
  packet[kUnknown] = kZero;
  packet[kLast] = kEnd;
  return packet;
}

std::optional<FalconReport> decode(const FalconPacket& packet) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < packet.size(); ++i) {
    if (!fits(packet[i], i)) return std::nullopt;
  }
  FalconReport report;
  for (std::size_t i = 0; i < 3; ++i) report.encoders[i] = get_int16(&packet[1 + 4 * i]);
  const unsigned flags = packet[kFlags] - unsigned{kZero};
  report.buttons = flags & 0xF;
  report.homed = flags >> 4 & 0x7;
  return report;
}

std::optional<FalconReport> FalconPacketReader::push(std::uint8_t byte) HAPTIC_REALTIME {
  bytes_[filled_++] = byte;
  // The first `good` bytes fit; the newest may not, and then a packet may begin further on.
  std::size_t good = filled_ - 1;
  while (good < filled_) {
    if (fits(bytes_[good], good)) {
      ++good;
      continue;
    }
    const auto next = std::find(bytes_.begin() + 1, bytes_.begin() + filled_, kBegin);
    const auto dropped = static_cast<std::size_t>(next - bytes_.begin());
    skipped_ += dropped;
    std::copy(next, bytes_.begin() + filled_, bytes_.begin());
    filled_ -= dropped;
    good = 0;
  }
  if (filled_ < kFalconPacketBytes) return std::nullopt;
  filled_ = 0;
  return decode(bytes_);
}

}  // namespace haptic
