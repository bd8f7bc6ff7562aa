#pragma once

#include "shared/ipc/command.h"
#include "shared/ipc/servo_state.h"
#include "shared/realtime.h"

namespace haptic {

/// starting -> homing -> idle -> engaged -> fault (design section 6).
///
///   from \ event  heard    heard homed  engage   release  stop   fault  reset
///   starting      homing   idle         -        -        fault  fault  -
///   homing        .        idle         -        -        fault  fault  -
///   idle          homing   .            engaged  .        fault  fault  -
///   engaged       fault    .            .        idle     fault  fault  -
///   fault         .        .            -        -        .      .      starting
///
/// ("." stays, "-" refused.) A fault keeps its first cause until an operator resets it.
class StateMachine {
 public:
  /// @param ramp_s seconds from no to full force, >= 0
  explicit StateMachine(double ramp_s) : ramp_s_(ramp_s) {}

  ServoState state() const HAPTIC_REALTIME { return state_; }
  FaultKind fault() const HAPTIC_REALTIME { return fault_; }

  /// The device answered this cycle. @returns true where homing has just ended: poses from before
  /// mean nothing.
  bool hear_device(bool homed) HAPTIC_REALTIME;
  /// @param in_reach the hand is inside the limits that engaging would hold it to
  CommandAnswer engage(bool in_reach) HAPTIC_REALTIME;
  CommandAnswer release() HAPTIC_REALTIME;
  CommandAnswer stop() HAPTIC_REALTIME;
  CommandAnswer reset() HAPTIC_REALTIME;
  /// @returns true where this latched kFault, false if it was latched before
  bool raise(FaultKind fault) HAPTIC_REALTIME;

  /// Factor of the force for this cycle: 0 unless engaged, then rising linearly to 1 over ramp_s.
  /// @param dt seconds since the cycle before
  double advance_ramp(double dt) HAPTIC_REALTIME;
  /// The ramp begins anew, as after engaging.
  void ramp_again() HAPTIC_REALTIME { ramp_ = 0.0; }
  void set_ramp(double ramp_s) HAPTIC_REALTIME { ramp_s_ = ramp_s; }
  double ramp_s() const HAPTIC_REALTIME { return ramp_s_; }

 private:
  ServoState state_ = ServoState::kStarting;
  FaultKind fault_ = FaultKind::kNone;
  double ramp_s_;
  double ramp_ = 0.0;
};

}  // namespace haptic
