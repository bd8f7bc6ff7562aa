#pragma once

#include <cstdint>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Workspace indexing (Barbic 2007, Section 4.5): while a button is held the
/// manipulandum does not move and the hand may go back to the middle of its workspace; on release
/// it continues from there with the motion of the hand. The force is zero while the button is down
/// and returns within `fade_s`: a constant force would do work on a hand that returns to the
/// centre.
class Clutch {
 public:
  /// @param button  bit of DeviceState::buttons, 0..31; negative: no clutch
  /// @param fade_s  from the release to full force [s], >= 0
  /// @param dt      seconds between two hands, > 0
  Clutch(int button, double fade_s, double dt);

  /// The hand as the world may see it, this cycle.
  Pose follow(const Pose& hand, std::uint32_t buttons) HAPTIC_REALTIME;

  /// Factor of the force in this cycle, 0..1.
  double force_scale() const HAPTIC_REALTIME { return force_scale_; }
  bool open() const HAPTIC_REALTIME { return open_; }

  /// The hand is where it is again.
  void reset() HAPTIC_REALTIME;

 private:
  int button_;
  double rise_;  // of the share in a cycle
  Vector3 offset_ = Vector3::Zero();
  Quaternion turn_ = Quaternion::Identity();  // right of the hand's: world increments stay the same
  Pose seen_;
  bool open_ = false, moved_ = false, met_ = false;
  double force_scale_ = 1.0;
};

}  // namespace haptic
