#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shared/realtime.h"

namespace haptic {

/// The Falcon's run-time packets: 16 ASCII-safe bytes each way, one reply per request
/// (docs/methods/devices.md, "Packets").
///
///   0    1..4  5..8  9..12   13     14   15
///   '<'  three int16         flags  'A'  '>'      an int16: four nibbles, the least significant
///                                                 first, each + 'A'
inline constexpr std::size_t kFalconPacketBytes = 16;
using FalconPacket = std::array<std::uint8_t, kFalconPacketBytes>;

/// Host to device.
struct FalconCommand {
  std::array<std::int16_t, 3> motors{};  ///< the firmware's units, it saturates at 4095
  std::uint8_t leds = 0;                 ///< bits 1..3; which colour is which is the manifest's
  /// Bit 0 of the flags. The homed flags of the reply are valid, and the device stays homed, only
  /// while every packet has it.
  bool homing = true;
};

/// Device to host.
struct FalconReport {
  std::array<std::int16_t, 3> encoders{};  ///< counts
  std::uint8_t buttons = 0;                ///< 1 plus (right), 2 forward, 4 centre, 8 minus (left)
  std::uint8_t homed = 0;                  ///< bit per encoder, bit 0 for the first
};

inline constexpr std::uint8_t kFalconLedBits = 0x0E;

/// Motors saturate at 4095 (never wrap to the opposite torque); bits outside kFalconLedBits are
/// dropped.
FalconPacket encode(const FalconCommand& command) HAPTIC_REALTIME;

/// @returns nothing unless every byte but the unknown 14th is what a reply can have there
std::optional<FalconReport> decode(const FalconPacket& packet) HAPTIC_REALTIME;

/// Finds replies in a byte stream that may begin anywhere and lose, repeat or change bytes. No '<'
/// can occur inside the first 14 bytes of a reply, so a damaged reply does not affect others: the
/// search continues at the next '<' in the collected bytes.
class FalconPacketReader {
 public:
  /// Takes one byte. @returns the report that it completes, if any
  std::optional<FalconReport> push(std::uint8_t byte) HAPTIC_REALTIME;
  /// Discards an incomplete packet.
  void restart() HAPTIC_REALTIME { filled_ = 0; }

  std::uint64_t skipped_bytes() const HAPTIC_REALTIME { return skipped_; }  ///< in no good packet

 private:
  FalconPacket bytes_{};
  std::size_t filled_ = 0;  // bytes_[0, filled_) can be the begin of a reply
  std::uint64_t skipped_ = 0;
};

}  // namespace haptic
