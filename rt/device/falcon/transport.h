#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace haptic {

/// How a call on the bus ended.
enum class UsbStatus : std::uint8_t {
  kOk,
  kTimeout,   ///< nothing came, or was taken, in time
  kAbsent,    ///< open: no such device is plugged in
  kNoAccess,  ///< open: the device's node is not ours to open
  kClaimed,   ///< open: another process has the device
  kLost,      ///< unplugged or unusable: only close() and open() help
  kRefused,   ///< the device stalled the request
};

/// One IN transfer as it comes: two FTDI modem-status bytes, then up to 62 of the serial line's.
struct UsbPacket {
  std::array<std::uint8_t, 64> bytes{};
  std::size_t length = 0;
};

/// The bus under the Falcon driver: FTDI vendor requests, one bulk OUT and one bulk IN end point
/// (docs/methods/devices.md, "USB identity and line"). Used from one thread, the I/O thread; calls
/// may allocate and block up to their time. Its clock is the driver's, so a fake has its own time.
class FalconTransport {
 public:
  virtual ~FalconTransport() = default;

  /// Finds the device, detaches a kernel driver from it, claims it and queues the IN transfers.
  [[nodiscard]] virtual UsbStatus open() = 0;
  /// Whether open() with the right to seize could take the device now. Claims nothing, moves no
  /// packet, and so does not disturb the process that drives it.
  [[nodiscard]] virtual UsbStatus reachable() = 0;
  /// Releases the device; harmless if it is not open.
  virtual void close() = 0;
  /// A bus reset of an open device that does not answer; close() it afterwards.
  virtual void reset() = 0;

  /// Vendor request 0x40 without data, wIndex 0.
  [[nodiscard]] virtual UsbStatus control(std::uint8_t request, std::uint16_t value) = 0;

  /// Queues up to 64 bytes for the OUT end point, waiting until `deadline_ns` for those before to
  /// leave.
  [[nodiscard]] virtual UsbStatus write(std::span<const std::uint8_t> bytes,
                                        std::int64_t deadline_ns) = 0;

  /// The oldest IN transfer that came in, waiting for one until `deadline_ns` on now_ns().
  [[nodiscard]] virtual UsbStatus read(UsbPacket& packet, std::int64_t deadline_ns) = 0;

  /// Monotonic, ns.
  virtual std::int64_t now_ns() = 0;
  /// Waits without a device.
  virtual void sleep_until(std::int64_t deadline_ns) = 0;
};

}  // namespace haptic
