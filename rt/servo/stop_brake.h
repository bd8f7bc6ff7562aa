#pragma once

#include "rt/coupling/passivity_controller.h"
#include "rt/device/device.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The damping of a controlled stop: a wrench against the hand's motion that takes energy out.
///
/// The damping is sampled and its force is constant during a step, so it may feed energy into a
/// light handle or into one whose speed comes from encoder counts. Three measures prevent this:
///   - The coefficient b is half of what a handle of mass m = 50 g allows. Over a period T the
///     force takes b T / m of the speed; a value above 1 would reverse the motion.
///   - One encoder count changes the force by at most a twentieth of the device's largest.
///   - The energy of a step is exactly f . (x_{k+1} - x_k), as in PassivityController. The damping
///     is off while the sum since the start of the stop shows that it has given energy. So it
///     returns at most what it took, except in the one step that shows it.
class StopBrake {
 public:
  /// @param settings largest damping that the scene allows at the port, and the length for
  /// rotations
  /// @param dt       seconds for which an output acts, > 0
  StopBrake(const PassivitySettings& settings, const DeviceCapabilities& device, double dt);

  /// A stop begins with the hand at `hand`.
  void begin(const Pose& hand) HAPTIC_REALTIME;
  /// The hand has come to `hand` under the last wrench().
  void observe(const Pose& hand) HAPTIC_REALTIME;
  /// -b v and -b L² w, no larger than `most_force` and `most_torque`; held until the next
  /// observe().
  Wrench wrench(const Twist& hand, double most_force, double most_torque) HAPTIC_REALTIME;

  /// Whether the hand is at rest: a speed below 10 mm/s and 0.2 rad/s, or below what two encoder
  /// counts in a step amount to.
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
