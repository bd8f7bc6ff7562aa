#include "rt/servo/haptic_cycle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/servo/loop_watch.h"
#include "rt/servo/records.h"
#include "shared/math/flush_denormals.h"

namespace haptic {
namespace {

bool is_sane(const DeviceState& hand) HAPTIC_REALTIME {
  return is_finite(hand.pose) && hand.twist.linear.allFinite() && hand.twist.angular.allFinite() &&
         std::abs(hand.pose.orientation.squaredNorm() - 1.0) < 1e-3;
}

// A slew limit may delay the fade of the force at a change of scene. After this time the force is
// set to zero, as at a release.
constexpr double kMaxFade_s = 1.0;

// The clock is uncertain by the time between two reads of it; no suspend is as short as this.
constexpr std::int64_t kMinSuspend_ns = 5'000'000;

}  // namespace

HapticCycle::HapticCycle(Device& device, World& world, const Clock& clock, CommandChannel& commands,
                         CycleSink& sink, const Settings& settings)
    : HapticCycle(device,
                  std::make_unique<ServoScene>(world, sink, device.capabilities(), settings.limits,
                                               settings.passivity, settings.rate_hz),
                  clock, commands, settings) {}

HapticCycle::HapticCycle(Device& device, std::unique_ptr<ServoScene> scene, const Clock& clock,
                         CommandChannel& commands, const Settings& settings)
    : HapticCycle(device, *scene, clock, commands, settings.rate_hz, settings.engage_at_start) {
  own_ = std::move(scene);
}

HapticCycle::HapticCycle(Device& device, ServoScene& scene, const Clock& clock,
                         CommandChannel& commands, double rate_hz, bool engage_at_start)
    : device_(device),
      scene_(&scene),
      clock_(clock),
      commands_(commands),
      dt_(1.0 / rate_hz),
      period_ns_(std::llround(1e9 / rate_hz)),
      linger_slots_(static_cast<std::uint64_t>(std::ceil(kMaxFade_s * rate_hz))),
      machine_(scene.guard.limits().ramp_s, scene.guard.limits().stop_s),
      elapsed_s_(dt_),
      suspended_ns_(clock.read().suspended_ns),
      failed_sleeps_(clock.failed_sleeps()),
      engage_when_idle_(engage_at_start) {}

void HapticCycle::run(const Slot& slot, std::int64_t woke_ns) HAPTIC_REALTIME {
  const LoopWatch::Stretch watched;
  const FlushDenormals flushed;
  const ClockReading begin = clock_.read();
  begin_ns_ = begin.now_ns;
  elapsed_s_ = dt_ * static_cast<double>(1 + slot.skipped);
  check_for_suspend(begin.suspended_ns);
  latch_reported_faults();
  change_scene();
  handle_command();
  sense();
  const std::int64_t sensed_ns = clock_.now_ns();
  couple_touch_move();
  const std::int64_t moved_ns = clock_.now_ns();
  feel();
  const std::int64_t felt_ns = clock_.now_ns();

  sense_ns_ = sensed_ns - begin_ns_;
  world_ns_ = moved_ns - sensed_ns;
  feel_ns_ = felt_ns - moved_ns;
  missed_ += slot.skipped;
  publish(slot, woke_ns);
  const std::int64_t published_ns = clock_.now_ns();
  publish_ns_ = published_ns - felt_ns;

  Statistics& statistics = scene_->sink.statistics();
  statistics.wake.record(slot.lateness_ns);
  statistics.compute.record(published_ns - woke_ns);
  statistics.device.record(sense_ns_ + feel_ns_);
  watch_load(slot, published_ns - woke_ns);
  ++cycle_;
}

void HapticCycle::handle_command() HAPTIC_REALTIME {
  commands_.note(machine_.state());
  if (commands_.stop_pending()) {
    const std::uint64_t ticket = commands_.stops_wanted();
    static_cast<void>(execute(ServoCommand{}));  // kStop, which no state refuses
    commands_.note(machine_.state());
    commands_.stop_done(ticket, machine_.state(), machine_.fault(), cycle_);
  }
  // Before the first exchange an engage would be refused: commands other than a stop wait a cycle.
  const ServoCommand* command = cycle_ == 0 ? nullptr : commands_.take();
  if (command == nullptr) return;
  const CommandAnswer refusal_reason = commands_.refusal_reason(*command, begin_ns_);
  CommandReply reply =
      refusal_reason == CommandAnswer::kPending
          ? execute(*command)
          : CommandReply{refusal_reason, machine_.state(), machine_.fault(), 0, 0.0, 0.0};
  commands_.note(machine_.state());
  reply.epoch = commands_.epoch();
  reply.executed = 1;
  reply.cycle = cycle_;
  commands_.reply(reply);
}

void HapticCycle::latch_reported_faults() HAPTIC_REALTIME {
  if (reported_.load(std::memory_order_relaxed) != FaultKind::kNone) {
    const FaultKind fault = reported_.exchange(FaultKind::kNone, std::memory_order_acquire);
    if (fault == FaultKind::kOperatorStop) {
      stop();
    } else {
      raise(fault);
    }
  }
  const std::uint64_t calls = LoopWatch::forbidden_calls();
  if (calls != forbidden_calls_) raise(FaultKind::kForbiddenCall);
  forbidden_calls_ = calls;
}

// Before the first access to the device: after a suspend neither its power nor its encoder counts
// can be relied on.
void HapticCycle::check_for_suspend(std::int64_t suspended_ns) HAPTIC_REALTIME {
  if (suspended_ns - suspended_ns_ > kMinSuspend_ns) raise(FaultKind::kSuspended);
  suspended_ns_ = std::max(suspended_ns_, suspended_ns);  // may come out too short, never too long
  const std::uint64_t failed = clock_.failed_sleeps();
  if (failed != failed_sleeps_) raise(FaultKind::kOverload);  // the slots are no longer kept
  failed_sleeps_ = failed;
}

void HapticCycle::sense() HAPTIC_REALTIME {
  DeviceState heard;
  const DeviceStatus status = device_.sense(heard);
  // Evaluated whatever the status of the device is.
  if (heard.emergency_stop || (heard.buttons & scene_->guard.limits().stop_buttons) != 0) {
    raise(FaultKind::kEmergencyStop);
  }
  if (heard.stop_channels_disagree) raise(FaultKind::kStopDiscrepancy);
  if (!device_.reaches_motors()) raise(FaultKind::kDeviceStalled);
  handle_device_status(status, FaultKind::kDeviceValue);
  if (status == DeviceStatus::kEndOfScript) end_drive();  // the simulated hand has ended
  // These statuses have no valid reading; an overheated device still measures correctly.
  if (status == DeviceStatus::kDisconnected || status == DeviceStatus::kBadValue ||
      status == DeviceStatus::kImplausible || status == DeviceStatus::kStale) {
    return;
  }
  if (!check_reading(heard)) return;
  hand_ = heard;
  if (!enabled()) end_drive();
  const bool homed = heard.homed || !device_.capabilities().needs_homing;
  if (!homed && machine_.drives()) raise(FaultKind::kDeviceValue);
  if (machine_.update_homed(homed))
    scene_->world.reset();  // poses of an unhomed device have no meaning
  if (engage_when_idle_ && machine_.state() == ServoState::kIdle) {
    engage_when_idle_ = false;
    machine_.engage(scene_->guard.check_hand(hand_) == FaultKind::kNone, enabled());
  }
}

void HapticCycle::handle_device_status(DeviceStatus status, FaultKind bad_value) HAPTIC_REALTIME {
  switch (status) {
    case DeviceStatus::kOk:
    case DeviceStatus::kEndOfScript:
      return;
    case DeviceStatus::kDisconnected:
      return raise(FaultKind::kDeviceLost);
    case DeviceStatus::kBadValue:
      return raise(bad_value);
    case DeviceStatus::kImplausible:
      return raise(FaultKind::kEncoderImplausible);
    case DeviceStatus::kStale:
      return raise(FaultKind::kStaleInput);
    case DeviceStatus::kOverheated:
      return raise(FaultKind::kOverheated);
  }
}

bool HapticCycle::check_reading(const DeviceState& heard) HAPTIC_REALTIME {
  const std::int64_t age = heard.taken_ns != 0 ? clock_.now_ns() - heard.taken_ns : 0;
  if (!is_sane(heard) || age < 0) {
    raise(FaultKind::kDeviceValue);
    return false;
  }
  // An old reading is harmless without a force.
  if (machine_.drives() && age > scene_->stale_input_ns) raise(FaultKind::kStaleInput);
  return true;
}

bool HapticCycle::enabled() const HAPTIC_REALTIME {
  const std::uint32_t needed = scene_->guard.limits().enable_buttons;
  return (hand_.buttons & needed) == needed;
}

void HapticCycle::couple_touch_move() HAPTIC_REALTIME {
  const WorldStatus status = scene_->world.step(hand_, output_);
  if (status != WorldStatus::kOk) {
    failed_body_.store(output_.failed_body, std::memory_order_relaxed);
  }
  switch (status) {
    case WorldStatus::kOk:
      return;
    case WorldStatus::kDiverged:
      raise(FaultKind::kWorldDiverged);
      break;
    case WorldStatus::kNotFinite:
      raise(FaultKind::kWorldNotFinite);
      break;
    case WorldStatus::kLate:
      raise(FaultKind::kOverload);
      break;
    case WorldStatus::kCapacity:
      raise(FaultKind::kWorldCapacity);
      break;
  }
  output_.device_wrench = Wrench{};
}

void HapticCycle::publish(const Slot& slot, std::int64_t woke_ns) HAPTIC_REALTIME {
  sample_.cycle = cycle_;
  sample_.scheduled_ns = slot.deadline_ns;
  sample_.time_ns = woke_ns;
  sample_.state = machine_.state();
  sample_.fault = machine_.fault();
  sample_.buttons = hand_.buttons;
  sample_.missed = missed_;
  write(sample_.device_pose, hand_.pose);
  write(sample_.device_twist, hand_.twist);
  write(sample_.manipulandum_pose, output_.manipulandum_pose);
  write(sample_.held_pose, output_.held_pose);
  write(sample_.wanted_wrench, output_.device_wrench);
  write(sample_.contact_wrench, output_.contact_wrench);
  sample_.port_energy_J = scene_->passivity.energy();
  sample_.port_damping_N_s_m = scene_->passivity.damping();
  sample_.port_damping_Nm_s = scene_->passivity.rotational_damping();
  sample_.world_step =
      output_.world_step == WorldOutput::kEveryCycle ? cycle_ + 1 : output_.world_step;
  sample_.world_age_ns = output_.world_age_ns;
  std::ranges::copy(output_.world_hand_age, sample_.world_hand_age);
  sample_.wake_ns = slot.lateness_ns;
  sample_.sense_ns = sense_ns_;
  sample_.couple_ns = output_.times.couple_ns;
  sample_.touch_ns = output_.times.touch_ns;
  sample_.move_ns = output_.times.move_ns;
  sample_.feel_ns = feel_ns_;
  sample_.publish_ns = publish_ns_;
  sample_.total_ns = sense_ns_ + world_ns_ + feel_ns_ + publish_ns_;

  Counters& counters = scene_->sink.statistics().counters;
  store_word(counters.cycles, cycle_ + 1);
  store_word(counters.missed, missed_);
  store_word(counters.allocations, LoopWatch::allocations());
  store_word(counters.forbidden_calls, forbidden_calls_);
  publish_state();
  if (next_parameter_ >= scene_->parameters.size()) next_parameter_ = 0;
  scene_->sink.publish_parameter(next_parameter_, parameter(next_parameter_));
  ++next_parameter_;
}

void HapticCycle::publish_state() HAPTIC_REALTIME {
  std::span<double> room = scene_->state;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < scene_->rates.size(); ++i) {
    std::span<const double> values = scene_->world.state(i);
    if (scene_->rates[i] == StateRate::kDisplay) {
      scene_->display[shown++] = values;
    } else {
      // A world that returned more than it declared would write beyond the end.
      values = values.first(std::min(values.size(), room.size()));
      std::ranges::copy(values, room.begin());
      room = room.subspan(values.size());
    }
  }
  // After a fault, a world may show what was before it for ever.
  if (machine_.fault() == FaultKind::kNone) {
    scene_->warnings.observe(sample_, scene_->state, scene_->sink.statistics().warnings);
  }
  scene_->sink.publish(sample_, scene_->state);
  if (shown > 0) scene_->sink.publish_display(cycle_, scene_->display);
}

void HapticCycle::raise(FaultKind fault) HAPTIC_REALTIME {
  if (machine_.raise(fault)) count(fault);
}

void HapticCycle::count(FaultKind fault) HAPTIC_REALTIME {
  add_word(scene_->sink.statistics().counters.faults[static_cast<std::size_t>(fault)], 1);
}

void HapticCycle::watch_load(const Slot& slot, std::int64_t total_ns) HAPTIC_REALTIME {
  if (total_ns > period_ns_) add_word(scene_->sink.statistics().counters.overruns, 1);
  if (!machine_.drives()) {
    scene_->load.clear();  // an overload without a force cannot be felt
  } else if (scene_->load.observe(slot, total_ns)) {
    raise(FaultKind::kOverload);
  }
}

}  // namespace haptic
