#pragma once

#include <limits>

#include "rt/device/hand_script.h"
#include "rt/device/simulated_device.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// How calm the contact of a run is.
struct CalmRun {
  int switches = 0;        ///< contact begins or ends
  double change = 0.0;     ///< largest change of the contact force in a cycle [N]
  double change_ms = 0.0;  ///< largest change of the contact force in a millisecond [N]
  double felt = 0.0;       ///< largest change of the device's force in a cycle [N]
  double largest = 0.0;    ///< contact force [N]
  double spread = 0.0;     ///< standard deviation of the device's force over its mean, hand still
  double fault_s = -1.0;   ///< time of a fault; < 0: none

  /// Keeps the larger values of both.
  void take(const CalmRun& other);
};

/// Plays a hand; after `still_s`, it stays where it is. A hand of mass, spring and damper is pulled
/// to the script and feels the force.
/// @param scene   a world of solids
/// @param rest_s  time in which the body comes to rest; `spread` is that of two seconds after it
CalmRun play_calm(const Scene& scene, const HandScript& hand, HandKind kind = HandKind::kScripted,
                  double still_s = std::numeric_limits<double>::infinity(), double rest_s = 1.0);

}  // namespace haptic
