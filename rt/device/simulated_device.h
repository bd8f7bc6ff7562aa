#pragma once

#include <cstdint>

#include "rt/device/device.h"
#include "rt/device/hand_script.h"

namespace haptic {

/// How the simulated hand meets the force it feels.
enum class HandKind : std::uint8_t {
  kScripted,      ///< follows the script, whatever the force
  kSpringDamper,  ///< a mass pulled to the script by spring and damper and pushed by the force
  kFree,  ///< nobody holds the handle: mass, the device's own damping, a constant push; starts as
          ///< the script does
};

/// A human hand gripping a handle, as one mass on a spring and damper to where it means to be.
struct HandSettings {
  HandKind kind = HandKind::kScripted;
  double mass = 0.3;               ///< kg, > 0
  double stiffness = 300.0;        ///< N/m, >= 0
  double damping = 15.0;           ///< N s/m, >= 0
  Vector3 push = Vector3::Zero();  ///< on a free handle [N], finite
};

/// What the device's encoders tell of the pose: multiples of a step. The twist is then the
/// difference of two readings times the rate, as a real device has it. 0: exact.
struct EncoderSettings {
  double step = 0.0;   ///< of each coordinate [m], >= 0
  double angle = 0.0;  ///< of each component of the rotation vector [rad], >= 0
};

/// Radius of gyration of hand and handle about the grasp [m]. The rotational hand is the
/// translational one at this radius (inertia m R², spring k R², damper c R²), hence equally fast.
inline constexpr double kHandGyrationRadius = 0.05;

/// A device without hardware. Its time is the count of its exchanges: cycle k sees the script at
/// k / rate, whatever the wall clock did, so offline runs and the daemon agree bit for bit.
/// After the script's end the hand stays where it is and the status stays kOk.
class SimulatedDevice final : public Device {
 public:
  /// @param rate_hz  exchanges per second, > 0
  /// @throws InputError if the rate or a setting is out of range
  SimulatedDevice(HandScript script, double rate_hz, const HandSettings& hand = {},
                  const EncoderSettings& encoder = {});

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capabilities_; }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override;

  const HandScript& script() const { return script_; }

 private:
  // One step of dt under `felt_`, implicit in the hand's own spring and damper, so that no
  // stiffness and no rate makes it unstable; semi-implicit: position follows the new velocity.
  void move_hand(double time) HAPTIC_REALTIME;
  // The exact motion of mass and damper under the wrench held since the last exchange.
  void move_free() HAPTIC_REALTIME;
  void read_encoders(DeviceState& state) HAPTIC_REALTIME;

  HandScript script_;
  double rate_hz_;
  double dt_;
  HandSettings hand_;
  EncoderSettings encoder_;
  DeviceCapabilities capabilities_;
  std::uint64_t exchanges_ = 0;
  Pose pose_;
  Twist twist_;
  Wrench felt_;
  Pose read_;  // last reading of quantised encoders
};

}  // namespace haptic
