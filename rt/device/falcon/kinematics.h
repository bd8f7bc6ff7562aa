#pragma once

#include <array>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Lengths [m] and angles [rad] of the Falcon's three legs, in the letters of R. E. Stamper's
/// thesis (1997). Source: docs/methods/devices.md, "Geometry".
struct FalconGeometry {
  double a = 0.060;    ///< upper arm, > 0
  double b = 0.1025;   ///< parallelogram, > 0
  double c = 0.01443;  ///< grip: its centre to the leg's joint
  double d = 0.01125;  ///< parallelogram's ends
  double e = 0.01125;
  double f = -0.025;  ///< offset along the leg's v axis
  double r = 0.0400;  ///< base: its centre to the motor's axis
  double s = -0.02309;
  std::array<double, 3> leg_angles{1.8325957145940461, -0.2617993877991494, -2.356194490192345};
  double zero_angle = 0.6108652381980153;           ///< joint angle at count 0
  double radians_per_count = 6.359047629780477e-4;  ///< 2 pi / 1280 * .01425 / .110
};

/// Between joint angles and the grip's position. Base frame: origin in the base's plane, z along
/// the axis towards the user, x to the right, y up. Nothing allocates, iterations are bounded.
class FalconKinematics {
 public:
  explicit FalconKinematics(const FalconGeometry& geometry) : geometry_(geometry) {}

  double angle(double count) const HAPTIC_REALTIME {
    return geometry_.zero_angle + geometry_.radians_per_count * count;
  }
  double count(double angle) const HAPTIC_REALTIME {
    return (angle - geometry_.zero_angle) / geometry_.radians_per_count;
  }
  const FalconGeometry& geometry() const HAPTIC_REALTIME { return geometry_; }

  /// Joint angles [rad] of the three legs with the grip at `position` [m], in closed form.
  /// @returns false if a leg does not reach; `angles` is then unchanged
  [[nodiscard]] bool inverse(const Vector3& position, Vector3& angles) const HAPTIC_REALTIME;

  /// The same, and d(angles)/d(position) [rad/m], a row per leg. It is the exact derivative; the
  /// published one has sin² theta2 in its third column where sin theta2 sin theta3 belongs.
  /// @returns false if a leg does not reach or is at a singular position
  [[nodiscard]] bool inverse(const Vector3& position, Vector3& angles,
                             Matrix3& jacobian) const HAPTIC_REALTIME;

  /// The position [m] with these joint angles: Newton's method on `inverse`, at most 30 steps, each
  /// halved while a leg would not reach. To 1e-10 m.
  /// @param position  in: where to start, reachable, the last known one; out: the solution,
  ///                  unchanged on failure
  /// @returns false if the angles belong to no position that was found from there
  [[nodiscard]] bool forward(const Vector3& angles, Vector3& position) const HAPTIC_REALTIME;

 private:
  FalconGeometry geometry_;
};

}  // namespace haptic
