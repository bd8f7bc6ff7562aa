#pragma once

#include <array>

namespace haptic::machine {

/// The Falcon's mechanics as a test needs them: a grip with mass and damping in a box, pulled by a
/// hand (spring and damper) and by three motors, read through three encoders.
///
/// Geometry: docs/methods/devices.md, "Geometry" (Stamper). Written from the inverse kinematics
/// alone: forces follow from torques by virtual work, F = (dtheta/dx)^T tau, with the derivative
/// taken by central differences, so that nothing is shared with the driver under test.
class FalconMechanics {
 public:
  using Vector = std::array<double, 3>;

  /// Angles of the three driven arms [rad] for the grip's position [m].
  /// Not finite outside the reach of a leg.
  static Vector angles(const Vector& position);

  /// Encoder counts for those angles: 0 at 35 degrees, 1280 per turn of a wheel that turns
  /// 110/14.25 times as fast as the arm.
  static std::array<int, 3> counts(const Vector& angles);

  /// Advances by `seconds` (in steps of at most 0.5 ms, at most 0.5 s in all) under torques [N·m].
  void advance(double seconds, const Vector& torques);

  void set_hand(const Vector& target) { hand_ = target; }
  /// Stiffness of the hand's grip [N/m]; 0 releases it. Its damping is critical.
  void set_hand_stiffness(double stiffness) { hand_stiffness_ = stiffness; }

  const Vector& position() const { return position_; }

 private:
  void step(double dt, const Vector& torques);

  Vector position_{0, 0, 0.11};
  Vector speed_{};
  Vector hand_{0, 0, 0.11};
  double hand_stiffness_ = 200.0;
};

}  // namespace haptic::machine
