#include "rt/device/replay_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rt/device/device_keys.h"
#include "rt/device/hand_script.h"
#include "shared/error.h"

namespace haptic {

ReplayDevice::ReplayDevice(std::vector<Pose> poses, double rate_hz, int enable_button,
                           std::vector<std::uint32_t> buttons)
    : poses_(std::move(poses)), buttons_(std::move(buttons)), rate_hz_(rate_hz) {
  buttons_.resize(poses_.size(), 0);
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
  capabilities_.has_motors = false;
  capabilities_.enable_button = enable_button;
}

DeviceStatus ReplayDevice::sense(DeviceState& state) HAPTIC_REALTIME {
  const std::size_t last = poses_.size() - 1;
  const Pose& now = poses_[std::min(next_, last)];
  const Pose& before = poses_[std::min(next_ == 0 ? 0 : next_ - 1, last)];
  state.pose = now;
  state.twist.linear = rate_hz_ * (now.position - before.position);
  state.twist.angular =
      rate_hz_ * rotation_logarithm(now.orientation * before.orientation.conjugate());
  const bool held = capabilities_.enable_button >= 0 && next_ <= last;
  state.buttons = buttons_[std::min(next_, last)];
  if (held) state.buttons |= 1U << capabilities_.enable_button;
  state.homed = true;
  if (next_ > last) return DeviceStatus::kEndOfScript;
  ++next_;
  return DeviceStatus::kOk;
}

DeviceStatus ReplayDevice::actuate(const Wrench& wrench) HAPTIC_REALTIME {
  return is_finite(wrench) ? DeviceStatus::kOk : DeviceStatus::kBadValue;
}

ReplaySettings read_replay(const TomlTable& table) {
  table.use_keys(replay_groups());
  ReplaySettings settings;
  replay_keys().read_some(table, settings);
  table.finish();
  return settings;
}

std::unique_ptr<Device> open_replay(const ReplaySettings& settings, double rate_hz) {
  const std::filesystem::path& recording = settings.recording;
  const HandScript script = HandScript::load(recording);
  std::vector<Pose> poses;
  std::vector<std::uint32_t> buttons;
  for (std::size_t i = 0; i < script.rows().size(); ++i) {
    const HandSample& row = script.rows()[i];
    // A row is one exchange, whatever its time. A recording at another rate would be replayed at
    // the wrong speed. Half a period: times in a CSV are rounded.
    const double exchange = (row.time - script.rows().front().time) * rate_hz;
    if (std::abs(exchange - static_cast<double>(i)) > 0.5) {
      throw InputError(recording.string(), fmt::format("row {}", i + 1),
                       fmt::format("found time {:g} s", row.time),
                       fmt::format("a row every {:g} s, one per exchange", 1.0 / rate_hz));
    }
    poses.push_back(row.pose);
    buttons.push_back(row.buttons);
  }
  return std::make_unique<ReplayDevice>(std::move(poses), rate_hz, settings.enable_button,
                                        std::move(buttons));
}

}  // namespace haptic
