#pragma once

#include <cstdint>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Workspace indexing (Barbic 2007, Section 4.5). While a button is pressed, the manipulandum is at
/// rest and the hand can return to the middle of its workspace. After release, the manipulandum
/// follows the motion of the hand from its present pose. The force is zero while the button is
/// pressed and fades in over `fade_s` afterwards; a constant force would do work on a hand that
/// returns to the centre.
class Clutch {
 public:
  /// @param button  bit of DeviceState::buttons, 0..31; negative: no clutch
  /// @param fade_s  time from the release to full force [s], >= 0
  /// @param dt      time between two calls of follow [s], > 0
  Clutch(int button, double fade_s, double dt);

  /// Pose of the hand that the world uses in this cycle.
  Pose follow(const Pose& hand, std::uint32_t buttons) HAPTIC_REALTIME;

  /// Factor of the force in this cycle, 0..1.
  double force_scale() const HAPTIC_REALTIME { return force_scale_; }
  bool open() const HAPTIC_REALTIME { return open_; }

  /// Removes the offset: `follow` returns the pose of the hand.
  void reset() HAPTIC_REALTIME;

 private:
  int button_;
  double rise_;  // of force_scale_ per cycle
  Vector3 offset_ = Vector3::Zero();
  Quaternion turn_ = Quaternion::Identity();  // right factor: keeps rotations in world axes
  Pose seen_;
  bool open_ = false, moved_ = false, met_ = false;
  double force_scale_ = 1.0;
};

}  // namespace haptic
