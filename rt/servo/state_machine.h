#pragma once

#include "shared/ipc/command.h"
#include "shared/ipc/servo_state.h"
#include "shared/realtime.h"

namespace haptic {

/// starting -> homing -> idle -> engaged -> fault, and stopping between engaged and its end.
///
///   from \ event  heard    heard homed  engage   release  stop      end       over     fault reset
///   starting      homing   idle         -        -        fault     .         .        fault  -
///   homing        .        idle         -        -        fault     .         .        fault  -
///   idle          homing   .            engaged  .        fault     .         .        fault  -
///   engaged       fault    .            .        idle     stopping  stopping  .        fault  -
///   stopping      fault    .            -        -        fault     .         (below)  fault  -
///   fault         .        .            -        -        .         .         .        . starting
///
/// ("." stays, "-" refused.) A fault keeps its first cause until an operator resets it.
///
/// Stop categories of IEC 60204-1, 9.2.2: every fault is category 0, zero force in the cycle in
/// which it is found. An operator's `stop` and an `end` that is not a fault (the enabling
/// device is released, the scene or the daemon ends) are category 1: `stopping` fades the force
/// out while the hand is damped; when that is `over`, the outputs are off and the state is fault
/// (operator_stop) after a stop, idle after an end. A second stop does not wait for it.
class StateMachine {
 public:
  /// @param ramp_s seconds from no to full force, >= 0 @param stop_s of a controlled stop, >= 0; 0:
  ///               every stop is at once
  explicit StateMachine(double ramp_s, double stop_s = 0.0) : ramp_s_(ramp_s), stop_s_(stop_s) {}

  ServoState state() const HAPTIC_REALTIME { return state_; }
  FaultKind fault() const HAPTIC_REALTIME { return fault_; }
  /// Whether a force may act: engaged or stopping.
  bool drives() const HAPTIC_REALTIME {
    return state_ == ServoState::kEngaged || state_ == ServoState::kStopping;
  }

  /// The device answered in this cycle. @returns true if homing has just ended: earlier poses are
  /// invalid.
  bool update_homed(bool homed) HAPTIC_REALTIME;
  /// @param in_reach the hand is inside the limits that apply while engaged
  /// @param enabled  the enabling device is pressed, or there is none
  CommandAnswer engage(bool in_reach, bool enabled = true) HAPTIC_REALTIME;
  CommandAnswer release() HAPTIC_REALTIME;
  /// @returns true where this latched kFault: operator_stop
  bool stop() HAPTIC_REALTIME;
  /// Ends the force without a fault.
  void end() HAPTIC_REALTIME;
  /// `stopping` is over. @returns true where this latched kFault: operator_stop
  bool finish_stop() HAPTIC_REALTIME;
  CommandAnswer reset() HAPTIC_REALTIME;
  /// @returns true where this latched kFault, false if it was latched before
  bool raise(FaultKind fault) HAPTIC_REALTIME;

  /// Factor of the force for this cycle: 0 unless a force may act; rising linearly to 1 over ramp_s
  /// while engaged, falling linearly to 0 within stop_s from where it was while stopping.
  /// @param dt seconds a step counts for
  double advance_ramp(double dt) HAPTIC_REALTIME;
  /// Restarts the ramp at 0, as after engaging.
  void restart_ramp() HAPTIC_REALTIME { ramp_ = 0.0; }
  void set_ramp(double ramp_s) HAPTIC_REALTIME { ramp_s_ = ramp_s; }
  void set_stop(double stop_s) HAPTIC_REALTIME { stop_s_ = stop_s; }
  double ramp_s() const HAPTIC_REALTIME { return ramp_s_; }
  double stop_s() const HAPTIC_REALTIME { return stop_s_; }

 private:
  void begin_stop(bool into_fault) HAPTIC_REALTIME;

  ServoState state_ = ServoState::kStarting;
  FaultKind fault_ = FaultKind::kNone;
  double ramp_s_, stop_s_;
  double ramp_ = 0.0;
  double fade_from_ = 0.0;   ///< ramp_ when the stop began
  bool into_fault_ = false;  ///< how the stop ends
};

}  // namespace haptic
