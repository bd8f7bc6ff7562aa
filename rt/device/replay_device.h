#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "rt/device/device.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// Plays recorded hand poses back, one per exchange, bit for bit. The twist is the difference to
/// the previous pose. After the last pose the hand stays there and the status is kEndOfScript.
class ReplayDevice final : public Device {
 public:
  /// @param poses    device frame, at least one, finite
  /// @param rate_hz  exchanges per second, > 0
  /// @param enable_button  bit that is held pressed until the last pose; -1: none
  /// @param buttons  with each pose, a bit per button; empty: none
  /// @throws InputError if a pose is not finite or not a rotation, or the rate is out of range
  ReplayDevice(std::vector<Pose> poses, double rate_hz, int enable_button = -1,
               std::vector<std::uint32_t> buttons = {});

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capabilities_; }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override;

 private:
  std::vector<Pose> poses_;
  std::vector<std::uint32_t> buttons_;
  double rate_hz_;
  DeviceCapabilities capabilities_;
  std::size_t next_ = 0;
};

/// A manifest of kind "replay".
struct ReplaySettings {
  std::filesystem::path recording;
  int enable_button = -1;  ///< held pressed as long as the recording lasts; -1: none
};

/// The hand of a manifest of kind "replay": `recording` names a CSV file like a hand script's, with
/// one row for every exchange.
ReplaySettings read_replay(const TomlTable& table);

/// @param rate_hz  exchanges per second, > 0
/// @throws InputError if the recording is refused, or has another rate
std::unique_ptr<Device> open_replay(const ReplaySettings& settings, double rate_hz);

}  // namespace haptic
