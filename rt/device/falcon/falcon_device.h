#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "rt/device/device.h"
#include "rt/device/encoder_watch.h"
#include "rt/device/exchange_timer.h"
#include "rt/device/falcon/exchange.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/falcon/kinematics.h"
#include "rt/device/falcon/speed_estimate.h"
#include "rt/device/motor_stage.h"

namespace haptic {

/// The servo's side of a Novint Falcon: takes the newest report from the I/O thread and passes an
/// order to it. Never waits for the bus.
///
/// Device frame: axes of the base (x right, y up, z towards the user), origin at the manifest's
/// centre; the orientation is always the identity. Torque leaves only while the servo is engaged,
/// the device homed and the link up.
class FalconDevice : public Device {
 public:
  /// @param rate_hz  servo cycles per second, > 0
  /// @param clock    the I/O side's; outlives the device; absent: CLOCK_MONOTONIC
  /// @throws InputError if the rate or a limit is out of range
  FalconDevice(const FalconSettings& settings, double rate_hz, const Clock* clock = nullptr);

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capabilities_; }

  /// `taken_ns` is the time at which the reply with the newest encoders arrived, so the age of an
  /// old reading is known before kDisconnected is returned. kDisconnected if the device is absent
  /// or hangs, or if the I/O thread has reported nothing new for `stale_s`; kBadValue if no
  /// position has the joint angles; kImplausible as for EncoderWatch. Not homed is kOk with `homed`
  /// false and the pose at the centre, because the counts then have no meaning.
  /// `homed` false and the pose at the centre: counts then mean nothing.
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override;
  void set_enabled(bool enabled) HAPTIC_REALTIME override { enabled_ = enabled; }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override;
  /// False once the I/O thread has not beaten for `stall_s` while a torque may act, until the
  /// thread has exchanged again or reported that the device is lost. A device that is unplugged or
  /// does not answer cannot be reached by any process, and an I/O thread that still beats resets it
  /// without the guard.
  bool reaches_motors() const HAPTIC_REALTIME override { return !stalled_; }
  /// True from the first packet with torque until the device has answered one without, or until
  /// the link is lost.
  bool force_may_act() const HAPTIC_REALTIME override {
    return exchange_.torque.load(std::memory_order_acquire) &&
           exchange_.status.newest().state == FalconLinkState::kRunning;
  }

  /// For the I/O side.
  FalconExchange& exchange() { return exchange_; }

  const FalconCounters& counters() const HAPTIC_REALTIME {
    return exchange_.status.newest().counters;
  }
  /// Estimated winding temperature [°C].
  double temperature(std::size_t motor) const HAPTIC_REALTIME { return stage_.temperature(motor); }

 private:
  void watch_thread(std::int64_t now_ns) HAPTIC_REALTIME;
  DeviceStatus take(const FalconStatus& latest) HAPTIC_REALTIME;
  bool locate(const FalconReport& report) HAPTIC_REALTIME;
  void restart_measurement() HAPTIC_REALTIME;
  std::array<std::int16_t, 3> units(const Vector3& joint_torque) const HAPTIC_REALTIME;

  FalconSettings settings_;
  DeviceCapabilities capabilities_;
  FalconExchange exchange_;
  FalconKinematics kinematics_;
  MotorStage stage_;
  EncoderWatch watch_;
  SpeedEstimate<3> speed_;
  DeviceTime time_;
  ExchangeTimer output_timer_;
  double largest_joint_torque_;  // that motors and firmware's units can give [N·m]

  bool up_ = false;  // in the last sense
  bool enabled_ = false;
  bool stalled_ = false;
  std::int64_t seen_ns_ = 0;   // when the servo last saw a new report
  std::uint64_t reports_ = 0;  // of the link, at the last one taken
  std::uint64_t connections_ = 0;
  std::int64_t report_ns_ = 0;
  std::uint8_t homed_ = 0, buttons_ = 0;
  Vector3 grip_;                              // base frame
  Matrix3 grip_per_joint_ = Matrix3::Zero();  // d(position)/d(joint angles) [m/rad]
  Vector3 joint_speed_ = Vector3::Zero();     // rad/s
  std::array<double, 3> motor_torque_{};      // last sent
};

}  // namespace haptic
