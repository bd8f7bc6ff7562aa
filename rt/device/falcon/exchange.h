#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "rt/device/falcon/packet.h"
#include "shared/triple_buffer.h"

namespace haptic {

/// State of the link to the device.
enum class FalconLinkState : std::uint8_t {
  kAbsent,    ///< not found, or lost; the search is repeated
  kStarting,  ///< handshake, firmware upload
  kRunning,   ///< packets are exchanged
};

/// Counters of the link since the start; never decrease.
struct FalconCounters {
  std::uint64_t exchanges = 0;       ///< replies
  std::uint64_t missing = 0;         ///< requests without a reply in time
  std::uint64_t skipped_bytes = 0;   ///< in no good packet
  std::uint64_t short_packets = 0;   ///< IN transfers without their modem status
  std::uint64_t line_errors = 0;     ///< modem status with overrun, parity, framing or break
  std::uint64_t connections = 0;     ///< times the link came up
  std::uint64_t losses = 0;          ///< times it was lost
  std::uint64_t stale_commands = 0;  ///< requests sent with zero torque because none was fresh
};

/// What the I/O thread reports to the servo.
struct FalconStatus {
  FalconLinkState state = FalconLinkState::kAbsent;
  FalconReport report;        ///< the newest; meaningful if reports > 0
  std::uint64_t reports = 0;  ///< since the link came up
  std::int64_t time_ns = 0;   ///< time of its arrival, transport's clock
  FalconCounters counters;
};

/// Command of the servo, valid until the next one or until it is stale.
struct FalconOrder {
  std::array<std::int16_t, 3> motors{};
  std::uint8_t leds = 0;
};

/// The longest wait of the I/O thread for the bus between two beats [s].
inline constexpr double kFalconBeat_s = 0.002;

/// Between the servo and the I/O thread, wait-free both ways.
struct FalconExchange {
  TripleBuffer<FalconStatus> status;
  TripleBuffer<FalconOrder> orders;
  /// Last time that the I/O thread ran, transport's clock. While the link runs, this is at most
  /// kFalconBeat_s ago, whatever the device does. A thread that is blocked in libusb or in a lock,
  /// or is stopped, does not beat.
  std::atomic<std::int64_t> beat_ns{0};
  /// A torque was sent and no reply to a later packet without torque has arrived.
  std::atomic<bool> torque{false};
};

}  // namespace haptic
