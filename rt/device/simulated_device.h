#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "rt/device/device.h"
#include "rt/device/encoder_watch.h"
#include "rt/device/fault_script.h"
#include "rt/device/hand_goal.h"
#include "rt/device/hand_script.h"
#include "shared/clock.h"

namespace haptic {

/// How the simulated hand reacts to the force.
enum class HandKind : std::uint8_t {
  kScripted,      ///< follows the script, whatever the force
  kSpringDamper,  ///< a mass pulled to the script by spring and damper and pushed by the force
  kFree,     ///< the handle is free: mass, the device's own damping, a constant push; starts as
             ///< the script does
  kSteered,  ///< as kSpringDamper, to where the parameters hand.x, ... say
};

/// A human hand that grips a handle, as one mass on a spring and damper to its intended position.
struct HandSettings {
  HandKind kind = HandKind::kScripted;
  double mass = 0.3;               ///< kg, > 0
  double stiffness = 300.0;        ///< N/m, >= 0
  double damping = 15.0;           ///< N s/m, >= 0
  Vector3 push = Vector3::Zero();  ///< on a free handle [N], finite
  bool operator==(const HandSettings&) const = default;
};

/// Quantisation of the pose by the device's encoders: multiples of a step. The twist is then the
/// difference of two readings times the rate, as in a real device. 0: exact.
struct EncoderSettings {
  double step = 0.0;   ///< of each coordinate [m], >= 0
  double angle = 0.0;  ///< of each component of the rotation vector [rad], >= 0
  bool operator==(const EncoderSettings&) const = default;
};

/// Conversion of the commanded force into the force on the handle.
struct AmplifierSettings {
  double saturation = std::numeric_limits<double>::infinity();  ///< of each axis [N], > 0
  double delay_s = 0.0;  ///< whole exchanges of it count, >= 0
  bool operator==(const AmplifierSettings&) const = default;
};

/// What makes a simulated reading as suspicious as a real one: EncoderWatch on the three
/// coordinates, in m and N instead of rad and N·m. Infinity: not watched.
using HandleWatch = EncoderLimits;

struct SimulatedHardware {
  AmplifierSettings amplifier;
  HandleWatch watch;
  std::vector<DeviceFault> faults;
  int enable_button = -1;  ///< bit that the hand holds pressed unless a fault says otherwise
  bool operator==(const SimulatedHardware&) const = default;
};

/// Radius of gyration of hand and handle about the grasp [m]. The rotational hand is the
/// translational one at this radius (inertia m R², spring k R², damper c R²), hence equally fast.
inline constexpr double kHandGyrationRadius = 0.05;

/// A device without hardware that can reproduce hardware faults. Its time is the count of its
/// exchanges: cycle k uses the script at k / rate, whatever the wall clock, so offline runs and the
/// daemon agree bit for bit. After the script's end the hand stays in place and the status stays
/// kOk.
class SimulatedDevice final : public Device {
 public:
  /// @param rate_hz  exchanges per second, > 0
  /// @throws InputError if the rate or a setting is out of range
  SimulatedDevice(HandScript script, double rate_hz, const HandSettings& hand = {},
                  const EncoderSettings& encoder = {}, const SimulatedHardware& hardware = {});

  /// Limits that the servo applies to the hand; default none. Call before the first exchange.
  void set_limits(const DeviceLimits& limits) { capabilities_.limits = limits; }

  /// Clock that advances during a late exchange and stamps old readings; outlives the device.
  /// Without it no exchange is late and no reading is old. It is used for nothing else.
  void set_clock(Clock& clock) override { clock_ = &clock; }

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capabilities_; }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override;
  void set_enabled(bool enabled) HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override;
  bool reaches_motors() const HAPTIC_REALTIME override {
    return faults_.active(DeviceFaultKind::kStall) == nullptr;
  }
  /// The wrench that acts on the hand now.
  const Wrench& felt() const HAPTIC_REALTIME { return felt_; }

  /// The script of the start.
  const HandScript& script() const { return goal_.first_script(); }
  /// From one thread other than the loop's: the hand goes to the start of another script and
  /// follows it (HandGoal::follow). A free or steered hand does not.
  void follow(HandScript script) override { goal_.follow(std::move(script)); }

  /// Of a steered hand: its target, position [m] and rotation vector [rad].
  double parameter(std::size_t index) const HAPTIC_REALTIME override { return goal_.target(index); }
  void set_parameter(std::size_t index, double value) HAPTIC_REALTIME override {
    goal_.steer(index, value);
  }

 private:
  // One step of dt under `felt_`, implicit in the hand's own spring and damper, so that no
  // stiffness and no rate makes it unstable; semi-implicit: position follows the new velocity.
  void move_hand() HAPTIC_REALTIME;
  // The exact motion of mass and damper under the wrench held since the last exchange.
  void move_free() HAPTIC_REALTIME;
  void read_encoders(DeviceState& state) HAPTIC_REALTIME;
  // Applies the active faults to a true reading.
  DeviceStatus falsify(DeviceState& state) HAPTIC_REALTIME;
  Wrench amplified(const Wrench& wrench) HAPTIC_REALTIME;

  HandGoal goal_;
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

  AmplifierSettings amplifier_;
  std::vector<Wrench> delayed_;  // ring, one slot per exchange of delay
  std::size_t oldest_ = 0;
  bool enabled_ = true;  // true for a servo that never calls set_enabled
  FaultScript faults_;
  EncoderWatch watch_;
  Clock* clock_ = nullptr;
  DeviceState told_;  // last reading that was returned
};

}  // namespace haptic
