#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/device/falcon/packet.h"

namespace haptic {

/// What answers on the serial line of a Falcon, byte by byte: bootloader, firmware upload with its
/// echo, run mode (docs/methods/devices.md, "Bring-up", "Packets"). "Firmware" is whatever bytes
/// the test says it is, and it knows that it has all of them by their number.
class FalconEmulator {
 public:
  /// @param image  what has to be uploaded before it runs; empty: it runs from the start
  explicit FalconEmulator(std::vector<std::uint8_t> image = {});

  /// FTDI vendor request. @returns false if the chip stalls it
  bool control(std::uint8_t request, std::uint16_t value);
  /// Bytes from the host, at the line's present speed. @returns what it answers
  std::vector<std::uint8_t> receive(std::span<const std::uint8_t> bytes);

  /// Loses firmware and homing with its power.
  void power_cycle();

  bool running() const { return mode_ == Mode::kRunning; }
  int uploads() const { return uploads_; }
  int requests() const { return requests_; }  ///< packets taken in run mode
  const std::array<std::int16_t, 3>& motors() const { return motors_; }
  std::uint8_t leds() const { return leds_; }

  // What the hand does.
  std::array<std::int16_t, 3> encoders{};
  std::uint8_t buttons = 0;
  std::uint8_t homed = 0;

 private:
  enum class Mode { kOff, kListening, kLoading, kRunning };
  void run(std::uint8_t byte, std::vector<std::uint8_t>& answer);

  std::vector<std::uint8_t> image_, loaded_, heard_;
  Mode mode_;
  std::uint16_t baud_ = 0;
  int uploads_ = 0, requests_ = 0;
  std::array<std::int16_t, 3> motors_{};
  std::uint8_t leds_ = 0;
};

}  // namespace haptic
