#pragma once

#include <filesystem>
#include <memory>

#include "rt/device/external/external_device.h"
#include "tests/rt/device/comedi/stepped_clock.h"
#include "tests/support/no_allocation.h"

namespace haptic {

inline ExternalSettings shipped_external_settings() {
  return read_external(load_manifest(std::filesystem::path(HAPTIC_SOURCE_DIR) /
                                     "firmware-config/external-reference.toml"));
}

/// The same with orientation and torque.
inline ExternalSettings six_freedoms() {
  ExternalSettings s = shipped_external_settings();
  s.freedoms = 6;
  s.max_torque = 0.2;
  s.limits.angular_speed = 10.0;
  return s;
}

/// Both sides of a link in one process and in virtual time: a servo that wants `force` every
/// millisecond, and an adapter that publishes `pose` before it.
class ExternalRig {
 public:
  explicit ExternalRig(const ExternalSettings& s = shipped_external_settings())
      : settings(s), device(settings, *memory, state, &clock) {
    memory->wrench_max_age_ns = 10'000'000;
    adapter.memory = memory.get();
    pose.orientation[0] = 1.0;
    pose.flags = HAPTIC_LINK_HOMED;
  }

  /// As the link's thread does.
  void connect(std::uint64_t instance) {
    memory->newest_pose = 0;
    memory->zero_since_ns = 0;
    memory->instance = instance;
    adapter.instance = instance;
    adapter.sequence = 0;
    state.instance = instance;
  }
  void disconnect() {
    memory->instance = 0;
    state.instance = 0;
  }

  void publish() {
    pose.time_ns = clock.now;
    haptic_link_publish(&adapter, &pose);
  }
  /// The adapter's exchange with its device. @returns whether it drives
  bool apply() {
    if (!haptic_link_read_wrench(memory.get(), &applied)) applied = {};
    const bool drives = haptic_link_judge_wrench(&adapter, &applied, clock.now) != 0;
    haptic_link_applied(&adapter);
    return drives;
  }
  /// One cycle of the servo, which lets go of the device at every status but kOk.
  DeviceStatus cycle() {
    clock.pass(0.001);
    const NoAllocation guard;
    const DeviceStatus status = device.sense(heard);
    if (status != DeviceStatus::kOk || !heard.homed) engaged = false;
    device.set_enabled(engaged);
    wrench_status = device.actuate(engaged ? Wrench{force, Vector3::Zero()} : Wrench{});
    return status;
  }
  /// Adapter and servo for so many milliseconds; a fault ends it.
  DeviceStatus run(int milliseconds) {
    for (int i = 0; i < milliseconds; ++i) {
      publish();
      apply();
      if (const DeviceStatus status = cycle(); status != DeviceStatus::kOk) return status;
    }
    return DeviceStatus::kOk;
  }
  void start() {
    connect(7);
    run(5);
    engaged = true;
    run(5);
  }

  ExternalSettings settings;
  SteppedClock clock;
  std::unique_ptr<haptic_link_memory> memory = std::make_unique<haptic_link_memory>();
  LinkState state;
  ExternalDevice device;
  haptic_link adapter{};
  haptic_link_pose pose{};
  haptic_link_wrench applied{};
  Vector3 force{0.0, 2.0, 0.0};
  bool engaged = false;
  DeviceState heard;
  DeviceStatus wrench_status = DeviceStatus::kOk;
};

}  // namespace haptic
