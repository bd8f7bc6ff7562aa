#pragma once

#include <cstdint>

#include "rt/device/device.h"

namespace haptic {

/// A simulated device whose hand is where the caller puts it before each cycle.
class GivenHand final : public Device {
 public:
  explicit GivenHand(const DeviceCapabilities& capabilities) : capabilities_(capabilities) {}

  /// Of the cycles from here on, device frame.
  /// @throws InputError if a value is not finite or the orientation not unit to 1e-3 (then it is
  ///         normalised unless it is unit to rounding)
  void put(const Pose& pose, const Twist& twist, std::uint32_t buttons);

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capabilities_; }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override {
    state = DeviceState{};
    state.pose = pose_;
    state.twist = twist_;
    state.buttons = buttons_;
    return DeviceStatus::kOk;
  }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override {
    return is_finite(wrench) ? DeviceStatus::kOk : DeviceStatus::kBadValue;
  }

 private:
  DeviceCapabilities capabilities_;
  Pose pose_;
  Twist twist_;
  std::uint32_t buttons_ = 0;
};

}  // namespace haptic
