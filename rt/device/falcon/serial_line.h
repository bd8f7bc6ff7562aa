#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/device/falcon/exchange.h"
#include "rt/device/falcon/transport.h"

namespace haptic {

/// The serial line behind the FTDI chip: IN transfers without their modem status, as a stream of
/// bytes. Transfers that contain only status are idle messages and are skipped.
class FalconSerialLine {
 public:
  /// Both outlive the line; what comes in broken is counted.
  FalconSerialLine(FalconTransport& transport, FalconCounters& counters);

  [[nodiscard]] UsbStatus request(std::uint8_t request, std::uint16_t value);
  [[nodiscard]] UsbStatus send(std::span<const std::uint8_t> bytes, std::int64_t deadline_ns);

  /// What one IN transfer brought, at least a byte. @returns kTimeout if none by the deadline
  [[nodiscard]] UsbStatus receive(std::span<const std::uint8_t>& bytes, std::int64_t deadline_ns);
  /// Exactly `count` bytes, appended to `to`; what came in beyond them stays for the next call.
  [[nodiscard]] UsbStatus receive_exactly(std::size_t count, std::vector<std::uint8_t>& to,
                                          std::int64_t deadline_ns);
  /// Empties both of the chip's buffers and forgets what was received.
  [[nodiscard]] UsbStatus purge();

  FalconTransport& transport() { return transport_; }

 private:
  FalconTransport& transport_;
  FalconCounters& counters_;
  UsbPacket packet_;
  std::size_t used_ = 0;  // of packet_, status included
};

}  // namespace haptic
