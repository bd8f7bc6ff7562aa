#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "rt/device/device.h"
#include "rt/servo/command_channel.h"
#include "rt/servo/loop_watch.h"
#include "rt/servo/output_guard.h"
#include "rt/servo/scene_handover.h"
#include "rt/servo/schedule.h"
#include "rt/servo/servo_scene.h"
#include "rt/servo/state_machine.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"
#include "shared/ipc/cycle_sink.h"

namespace haptic {

/// One haptic cycle, top to bottom: sense, couple, touch, move, feel, publish. The wait between
/// cycles is ServoLoop's.
///
/// The world advances in every cycle and in every state, so that it depends on the hand alone. The
/// state determines only the output to the device.
///
/// A missed slot does not increase the step of the force: ramps, fades and slew limits advance by
/// one nominal period per output, even if the last output was longer ago. Limits in time (a stop, a
/// cut power, an impulse, the energy at the port) count the slots that have passed.
class HapticCycle {
 public:
  struct Settings {
    double rate_hz = 1000.0;       ///< > 0
    ServoLimits limits;            ///< lowered to the device's own
    bool engage_at_start = false;  ///< engage as soon as idle, once, without an operator
    PassivitySettings passivity{};
  };

  /// One scene that is never replaced; all arguments outlive the cycle.
  HapticCycle(Device& device, World& world, const Clock& clock, CommandChannel& commands,
              CycleSink& sink, const Settings& settings);
  /// Starts with `scene`, which belongs to the cycle until scenes() has returned it.
  /// @param rate_hz of the servo, the same as that of `scene`
  HapticCycle(Device& device, ServoScene& scene, const Clock& clock, CommandChannel& commands,
              double rate_hz, bool engage_at_start);

  /// Where an ordinary thread offers the next scene. An engaged cycle first fades the force out
  /// over the old scene's ramp, changes the scene at the start of a cycle with zero output, and
  /// ramps in again; in any other state it changes at once. The state stays engaged unless the new
  /// limits exclude the present position or speed of the hand (then idle). A fault stays latched.
  SceneHandover& scenes() { return scenes_; }

  /// One cycle in `slot`, woken at `woke_ns`.
  void run(const Slot& slot, std::int64_t woke_ns) HAPTIC_REALTIME;

  /// From any thread, wait-free: requests a fault for a cause outside the cycle. It is latched at
  /// the start of the next cycle; of two requests in one cycle the later one is latched.
  /// kOperatorStop has the effect of the operator's command: a controlled stop first.
  void report(FaultKind fault) HAPTIC_REALTIME {
    reported_.store(fault, std::memory_order_release);
  }

  /// For the loop's thread, between cycles: what a command from the channel does in the next one.
  CommandReply execute(const ServoCommand& command) HAPTIC_REALTIME;
  /// For the loop's thread: value of a parameter of the running scene's table.
  double parameter(std::size_t index) const HAPTIC_REALTIME;

  /// From any thread: WorldOutput::failed_body of the last world step that failed.
  std::uint32_t failed_body() const { return failed_body_.load(std::memory_order_relaxed); }

  /// Sends zero to the device; the last call of the loop.
  void zero_device() HAPTIC_REALTIME;
  /// For the loop's thread when it ends normally: an engaged hand is stopped as at the end of a
  /// script. The loop continues until drives() is false, at most limits.stop_s.
  void wind_down() HAPTIC_REALTIME { end_drive(); }
  /// Whether a force may act: engaged or stopping.
  bool drives() const HAPTIC_REALTIME { return machine_.drives(); }
  /// Whether outputs still reach the motors; if not, only a guard can take the device.
  bool reaches_motors() const HAPTIC_REALTIME { return device_.reaches_motors(); }
  /// Whether an earlier force may still act (Device::force_may_act).
  bool force_may_act() const HAPTIC_REALTIME { return device_.force_may_act(); }

  ServoState state() const HAPTIC_REALTIME { return machine_.state(); }
  const SampleRecord& sample() const HAPTIC_REALTIME { return sample_; }
  std::uint64_t cycles() const HAPTIC_REALTIME { return cycle_; }
  /// Of the running scene; for the loop's thread only.
  CycleSink& sink() HAPTIC_REALTIME { return scene_->sink; }

 private:
  HapticCycle(Device& device, std::unique_ptr<ServoScene> scene, const Clock& clock,
              CommandChannel& commands, const Settings& settings);

  /// Whether the next scene may begin: the output is zero, or the time for fading it out is over.
  bool ready_to_switch() const HAPTIC_REALTIME;
  void change_scene() HAPTIC_REALTIME;
  /// Factor of the force for this cycle: falls to 0 over the ramp once a scene is offered.
  double advance_fade() HAPTIC_REALTIME;

  void handle_command() HAPTIC_REALTIME;
  void latch_reported_faults() HAPTIC_REALTIME;
  void check_for_suspend(std::int64_t suspended_ns) HAPTIC_REALTIME;
  void sense() HAPTIC_REALTIME;
  /// Checks the reading. @returns whether it may be used
  bool check_reading(const DeviceState& heard) HAPTIC_REALTIME;
  void couple_touch_move() HAPTIC_REALTIME;
  void feel() HAPTIC_REALTIME;
  OutputGuard::Result render(double ramp) HAPTIC_REALTIME;
  /// An operator's stop, and an end that is no fault: controlled where a force acts.
  void stop() HAPTIC_REALTIME;
  void end_drive() HAPTIC_REALTIME;
  void begin_brake(bool drove) HAPTIC_REALTIME;
  void advance_stop() HAPTIC_REALTIME;
  bool enabled() const HAPTIC_REALTIME;
  void check_age() HAPTIC_REALTIME;
  // Raises the fault that belongs to a device's status; for kBadValue it is `bad_value`.
  void handle_device_status(DeviceStatus status, FaultKind bad_value) HAPTIC_REALTIME;
  void publish(const Slot& slot, std::int64_t woke_ns) HAPTIC_REALTIME;
  void publish_state() HAPTIC_REALTIME;

  CommandAnswer set_parameter(std::uint32_t parameter, double value) HAPTIC_REALTIME;
  /// What a parameter may be at present, towards a value that was out of range.
  World::Range allowed(std::uint32_t parameter, double value) HAPTIC_REALTIME;
  CommandAnswer set_limit(std::uint32_t parameter, double value) HAPTIC_REALTIME;
  void raise(FaultKind fault) HAPTIC_REALTIME;
  void count(FaultKind fault) HAPTIC_REALTIME;
  void watch_load(const Slot& slot, std::int64_t total_ns) HAPTIC_REALTIME;

  Device& device_;
  std::unique_ptr<ServoScene> own_;  ///< of the first constructor
  ServoScene* scene_;                ///< the running one
  SceneHandover scenes_;
  const Clock& clock_;
  CommandChannel& commands_;
  double dt_;
  std::int64_t period_ns_;
  std::uint64_t linger_slots_;  ///< longest wait for limits that let the force go slowly
  StateMachine machine_;
  double last_ramp_ = 0.0;
  double fade_ = 1.0;           ///< 1 unless a scene is offered
  std::uint64_t lingered_ = 0;  ///< slots
  double elapsed_s_;            ///< since the output before, in whole slots
  double stop_left_s_ = 0.0;    ///< of a controlled stop
  std::int64_t suspended_ns_;   ///< suspended time of the machine that was already reported
  std::uint64_t failed_sleeps_;
  bool sent_nothing_ = true;          ///< the device's present output is zero
  std::int64_t output_since_ns_ = 0;  ///< start of the cycle that sent the present output
  std::atomic<FaultKind> reported_{FaultKind::kNone};
  std::atomic<std::uint32_t> failed_body_{WorldOutput::kNoBody};
  std::uint64_t forbidden_calls_ = LoopWatch::forbidden_calls();  ///< already reported
  bool engage_when_idle_;

  DeviceState hand_;  ///< last good one
  WorldOutput output_;
  SampleRecord sample_{};
  std::uint64_t cycle_ = 0;
  std::uint64_t missed_ = 0;
  std::size_t next_parameter_ = 0;  ///< whose value is published next
  std::int64_t begin_ns_ = 0;       ///< of this cycle
  std::int64_t sense_ns_ = 0, world_ns_ = 0, feel_ns_ = 0, publish_ns_ = 0;
};

}  // namespace haptic
