#include "rt/device/replay_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "shared/error.h"

namespace haptic {

ReplayDevice::ReplayDevice(std::vector<Pose> poses, double rate_hz)
    : poses_(std::move(poses)), rate_hz_(rate_hz) {
  if (!(rate_hz > 0.0) || !std::isfinite(rate_hz)) {
    throw InputError("replay", "rate_hz", fmt::format("found {}", rate_hz), "a number > 0 [Hz]");
  }
  if (poses_.empty()) throw InputError("replay", "", "found no poses", "at least one");
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    // Recorded orientations were normalised by the recorder's world; anything else is another
    // quantity.
    if (!is_finite(poses_[i]) || std::abs(poses_[i].orientation.norm() - 1.0) > 1e-6) {
      throw InputError("replay", fmt::format("pose {}", i),
                       "found a pose that is not a finite rigid placement",
                       "finite position, unit quaternion");
    }
  }
  capabilities_.name = "replay";
}

DeviceStatus ReplayDevice::sense(DeviceState& state) HAPTIC_REALTIME {
  const std::size_t last = poses_.size() - 1;
  const Pose& now = poses_[std::min(next_, last)];
  const Pose& before = poses_[std::min(next_ == 0 ? 0 : next_ - 1, last)];
  state.pose = now;
  state.twist.linear = rate_hz_ * (now.position - before.position);
  state.twist.angular =
      rate_hz_ * rotation_logarithm(now.orientation * before.orientation.conjugate());
  state.buttons = 0;
  state.homed = true;
  if (next_ > last) return DeviceStatus::kEndOfScript;
  ++next_;
  return DeviceStatus::kOk;
}

DeviceStatus ReplayDevice::actuate(const Wrench& wrench) HAPTIC_REALTIME {
  return is_finite(wrench) ? DeviceStatus::kOk : DeviceStatus::kBadValue;
}

}  // namespace haptic
