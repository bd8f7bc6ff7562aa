#pragma once

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "rt/device/falcon/falcon_device.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/falcon/link.h"
#include "tests/rt/device/falcon/fake_transport.h"
#include "tests/rt/device/falcon/falcon_emulator.h"
#include "tests/support/no_allocation.h"

namespace haptic {

/// The manifest that the package installs.
inline std::filesystem::path shipped_manifest() {
  return std::filesystem::path(HAPTIC_SOURCE_DIR) / "firmware-config/novint-falcon.toml";
}

inline FalconSettings shipped_settings() {
  return read_falcon(load_manifest(shipped_manifest()));
}

/// Virtual time of the bus. It advances with the calls of the bus; no thread sleeps.
class BusClock final : public Clock {
 public:
  explicit BusClock(FakeTransport& bus) : bus_(bus) {}
  std::int64_t now_ns() const HAPTIC_REALTIME override { return bus_.now_ns(); }
  void sleep_until(std::int64_t) override {}

 private:
  FakeTransport& bus_;
};

/// Both halves of the driver with an emulated device between them, in virtual time: a servo that
/// wants `force` every millisecond, and the link that turns as the I/O thread would. The servo lets
/// go for good at the first status that is not kOk, as the daemon's latched fault does.
class FalconRig {
 public:
  explicit FalconRig(std::vector<std::uint8_t> image = {})
      : settings(shipped_settings()),
        device(image),
        bus(device),
        clock(bus),
        falcon(settings, 1000.0, &clock),
        link(bus, falcon.exchange(), image, settings.times, stop) {
    hold(settings.centre);
    bus.every(1'000'000, [this] { servo(); });
  }

  /// The hand holds the grip here [m, base frame]; homed.
  void hold(const Vector3& grip) {
    const FalconKinematics kinematics(settings.geometry);
    Vector3 angles;
    if (!kinematics.inverse(grip, angles)) std::abort();
    for (int i = 0; i < 3; ++i) {
      device.encoders[static_cast<std::size_t>(i)] =
          static_cast<std::int16_t>(std::lround(kinematics.count(angles[i])));
    }
    device.homed = 0b111;
  }

  void run(double seconds) {
    const std::int64_t end = bus.now_ns() + static_cast<std::int64_t>(1e9 * seconds);
    while (bus.now_ns() < end) link.turn();
  }
  /// Into run mode and engaged.
  void start() {
    run(0.05);
    engaged = true;
    run(0.05);
  }

  /// What the device's motors push the hand with, by its exact kinematics [N].
  Vector3 felt() const {
    Vector3 angles;
    Matrix3 jacobian;
    const FalconKinematics kinematics(settings.geometry);
    Vector3 grip = settings.centre;
    const Vector3 read{kinematics.angle(device.encoders[0]), kinematics.angle(device.encoders[1]),
                       kinematics.angle(device.encoders[2])};
    if (!kinematics.forward(read, grip) || !kinematics.inverse(grip, angles, jacobian))
      std::abort();
    const Vector3 units{double(device.motors()[0]), double(device.motors()[1]),
                        double(device.motors()[2])};
    return jacobian.transpose() * units / settings.units_per_torque;
  }
  bool motors_off() const { return device.motors() == std::array<std::int16_t, 3>{}; }

  FalconSettings settings;
  FalconEmulator device;
  FakeTransport bus;
  BusClock clock;
  FalconDevice falcon;
  std::atomic<bool> stop{false};
  FalconLink link;

  Vector3 force = Vector3::Zero();  ///< what the servo wants while engaged
  bool engaged = false;
  bool servo_hangs = false;
  bool servo_errs = false;         ///< wants its force whatever it hears, engaged or not
  std::function<void()> on_servo;  ///< at the end of every cycle of the servo
  DeviceState state;
  DeviceStatus status = DeviceStatus::kDisconnected, felt_status = DeviceStatus::kOk;

  /// When the servo last released the device.
  std::int64_t released_ns() const { return released_ns_; }

 private:
  void servo() {
    if (servo_hangs) return;
    const NoAllocation guard;
    status = falcon.sense(state);
    if (status != DeviceStatus::kOk || !state.homed) release();
    falcon.set_enabled(engaged);
    felt_status =
        falcon.actuate({engaged || servo_errs ? force : Vector3(Vector3::Zero()), Vector3::Zero()});
    if (felt_status != DeviceStatus::kOk) release();
    if (on_servo) on_servo();
  }
  void release() {
    if (servo_errs) return;
    if (engaged) released_ns_ = bus.now_ns();
    engaged = false;
  }
  std::int64_t released_ns_ = 0;
};

}  // namespace haptic
