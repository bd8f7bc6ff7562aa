#pragma once

#include "rt/coupling/passivity_controller.h"
#include "rt/device/device.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The damping of a controlled stop: a wrench against the hand's motion that takes energy out.
///
/// A damper that is sampled and held may feed a light handle or one whose speed comes from encoder
/// counts. Three things keep this one from it:
///   - its coefficient is half of what a handle of 50 g allows: held over T it takes b T / m of the
///     speed in a step, and beyond 1 it would turn the motion round;
///   - one count of the encoders changes its force by at most a twentieth of the device's largest;
///   - its energy is kept: what it gave in a step is exactly f . (x_{k+1} - x_k), as in
///     PassivityController, and while the sum since the stop began is on the giving side it is off.
///     So it returns at most what it took, except in the one step that shows it.
class StopBrake {
 public:
  /// @param settings what the scene lets be added at the port at most, and the length of rotations
  /// @param dt       seconds an output is held, > 0
  StopBrake(const PassivitySettings& settings, const DeviceCapabilities& device, double dt);

  /// A stop begins with the hand at `hand`.
  void begin(const Pose& hand) HAPTIC_REALTIME;
  /// The hand has come to `hand` under the last wrench().
  void observe(const Pose& hand) HAPTIC_REALTIME;
  /// -b v and -b L² w, no larger than `most_force` and `most_torque`; held until the next
  /// observe().
  Wrench wrench(const Twist& hand, double most_force, double most_torque) HAPTIC_REALTIME;

  /// Whether the speed is as good as none: 10 mm/s and 0.2 rad/s, or what two encoder counts in a
  /// step look like.
  bool at_rest(const Twist& hand) const HAPTIC_REALTIME;

  double damping() const HAPTIC_REALTIME { return damping_; }  ///< b [N·s/m]
  /// Taken from the hand since begin() [J].
  double taken() const HAPTIC_REALTIME { return taken_; }

 private:
  double damping_, rotational_damping_;
  bool torque_;
  double rest_speed_;
  Pose hand_;
  Wrench held_;
  double taken_ = 0.0;
};

}  // namespace haptic
