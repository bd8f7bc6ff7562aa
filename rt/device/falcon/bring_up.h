#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "rt/device/falcon/packet.h"
#include "rt/device/falcon/serial_line.h"

namespace haptic {

/// Result of an attempt to start a device that was opened, until it answers packets.
enum class FalconStart : std::uint8_t {
  kRunning,
  kNoImage,       ///< the device waits for firmware and there is none to give it
  kNoBootloader,  ///< neither packets nor the bootloader's answer: power? cable?
  kEcho,          ///< the device echoed other bytes than were sent, or none
  kNotRunning,    ///< the firmware was accepted but answers no packet
  kUsb,           ///< the bus failed
  kStopped,       ///< `stop` was set
};

/// From an open device to run mode (docs/methods/devices.md, "Bring-up"): normal mode; ask
/// whether firmware runs already; if not, bootloader handshake and upload in blocks of 62 bytes,
/// each compared with the device's echo; normal mode again.
class FalconBringUp {
 public:
  /// @param image  firmware, empty if there is none; @param stop  looked at between two waits. All
  ///               of them outlive this.
  FalconBringUp(FalconSerialLine& line, std::span<const std::uint8_t> image,
                const std::atomic<bool>& stop);

  /// One attempt; a few seconds at most if the device does not answer.
  /// @param report  of the first reply in run mode
  FalconStart run(FalconReport& report);

  /// Zero torque for a device left in run mode, at once, without further handshake.
  /// @returns false if it did not answer
  bool make_safe();

 private:
  bool request(std::uint8_t request, std::uint16_t value);
  bool normal_mode();
  bool purge();
  std::optional<FalconReport> ask(int tries);
  FalconStart bootloader();
  FalconStart upload();
  bool answered(std::span<const std::uint8_t> question, std::span<const std::uint8_t> answer);
  std::int64_t in(std::int64_t ns) { return line_.transport().now_ns() + ns; }

  FalconSerialLine& line_;
  std::span<const std::uint8_t> image_;
  const std::atomic<bool>& stop_;
  bool usb_failed_ = false;
};

}  // namespace haptic
