#include "rt/servo/haptic_cycle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/servo/loop_watch.h"
#include "rt/servo/parameter_table.h"
#include "rt/servo/records.h"
#include "shared/math/flush_denormals.h"

namespace haptic {
namespace {

bool is_sane(const DeviceState& hand) HAPTIC_REALTIME {
  return is_finite(hand.pose) && hand.twist.linear.allFinite() && hand.twist.angular.allFinite() &&
         std::abs(hand.pose.orientation.squaredNorm() - 1.0) < 1e-3;
}

// A slew limit may keep the force from following the ramp of a change of scene; after so long it is
// cut, as a release does.
constexpr double kLongestFade_s = 1.0;

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
      linger_cycles_(static_cast<std::uint64_t>(std::ceil(kLongestFade_s * rate_hz))),
      machine_(scene.ramp_s),
      engage_when_idle_(engage_at_start) {
  ceiling_.force = device.capabilities().max_force;
  ceiling_.torque =
      device.capabilities().actuated_freedoms >= 6 ? device.capabilities().max_torque : 0.0;
}

void HapticCycle::run(const Slot& slot, std::int64_t woke_ns) HAPTIC_REALTIME {
  const LoopWatch::Stretch watched;
  const FlushDenormals flushed;
  begin_ns_ = clock_.now_ns();
  hear_reports();
  change_scene();
  obey();
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
  watch_load(published_ns - woke_ns);
  ++cycle_;
}

void HapticCycle::obey() HAPTIC_REALTIME {
  commands_.note(machine_.state());
  if (commands_.stop_pending()) {
    const std::uint64_t ticket = commands_.stops_wanted();
    static_cast<void>(execute(ServoCommand{}));  // kStop, which no state refuses
    commands_.note(machine_.state());
    commands_.stop_done(ticket, machine_.state(), machine_.fault(), cycle_);
  }
  const ServoCommand* command = commands_.take();
  if (command == nullptr) return;
  const CommandAnswer objection = commands_.objection(*command, begin_ns_);
  CommandReply reply =
      objection == CommandAnswer::kPending
          ? execute(*command)
          : CommandReply{objection, machine_.state(), machine_.fault(), 0, 0.0, 0.0};
  commands_.note(machine_.state());
  reply.epoch = commands_.epoch();
  reply.cycle = cycle_;
  commands_.reply(reply);
}

void HapticCycle::hear_reports() HAPTIC_REALTIME {
  if (reported_.load(std::memory_order_relaxed) != FaultKind::kNone) {
    raise(reported_.exchange(FaultKind::kNone, std::memory_order_acquire));
  }
  const std::uint64_t calls = LoopWatch::forbidden_calls();
  if (calls != forbidden_calls_) raise(FaultKind::kForbiddenCall);
  forbidden_calls_ = calls;
}

void HapticCycle::sense() HAPTIC_REALTIME {
  DeviceState heard;
  const DeviceStatus status = device_.sense(heard);
  const bool sane = is_sane(heard);
  // Whatever else the device says or fails to say.
  if (heard.emergency_stop || (heard.buttons & scene_->stop_buttons) != 0) {
    raise(FaultKind::kEmergencyStop);
  }
  switch (status) {
    case DeviceStatus::kOk:
      break;
    case DeviceStatus::kEndOfScript:
      machine_.release();
      break;  // nobody holds the handle any more
    case DeviceStatus::kDisconnected:
      raise(FaultKind::kDeviceLost);
      return;
    case DeviceStatus::kBadValue:
      raise(FaultKind::kDeviceValue);
      return;
    case DeviceStatus::kImplausible:
      raise(FaultKind::kEncoderImplausible);
      return;
    case DeviceStatus::kOverheated:
      raise(FaultKind::kOverheated);
      break;  // the pose is as good as ever
  }
  if (!sane) {
    raise(FaultKind::kDeviceValue);
    return;
  }
  hand_ = heard;
  const bool homed = heard.homed || !device_.capabilities().needs_homing;
  if (!homed && machine_.state() == ServoState::kEngaged) raise(FaultKind::kDeviceValue);
  if (machine_.hear_device(homed))
    scene_->world.reset();  // poses of an unhomed device meant nothing
  if (engage_when_idle_ && machine_.state() == ServoState::kIdle) {
    engage_when_idle_ = false;
    machine_.engage(scene_->guard.check_hand(hand_) == FaultKind::kNone);
  }
}

void HapticCycle::couple_touch_move() HAPTIC_REALTIME {
  switch (scene_->world.step(hand_, output_)) {
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
  }
  output_.device_wrench = Wrench{};
}

void HapticCycle::feel() HAPTIC_REALTIME {
  if (machine_.state() == ServoState::kEngaged) {
    const FaultKind broken = scene_->guard.check_hand(hand_);
    if (broken != FaultKind::kNone) raise(broken);
    check_age();
  }
  OutputGuard::Result out;
  const double ramp = machine_.advance_ramp(dt_) * advance_fade() * output_.share;
  if (machine_.state() == ServoState::kEngaged) {
    out = render(ramp);
    if (out.fault != FaultKind::kNone) raise(out.fault);
  } else {
    out.wrench = scene_->guard.zero();
    scene_->passivity.begin(hand_.pose);
    if (!is_finite(output_.device_wrench)) raise(FaultKind::kWrenchNotFinite);
  }
  device_.set_enabled(machine_.state() == ServoState::kEngaged);
  hear_actuation(device_.actuate(out.wrench));
  write(sample_.device_wrench, out.wrench);
  scene_->passivity.sent(out.wrench);
  sent_nothing_ = out.wrench.force.isZero(0.0) && out.wrench.torque.isZero(0.0);
  output_since_ns_ = machine_.state() == ServoState::kEngaged ? begin_ns_ : 0;
  last_ramp_ = ramp;
  sample_.ramp = ramp;
  sample_.limited = out.limited;
  if ((out.limited & ~std::uint32_t{kLimitedRamp}) != 0) {
    add_word(scene_->sink.statistics().counters.limited_cycles, 1);
  }
}

// What the motors hold is the answer to where the hand was when the cycle that sent it began. A
// loop that slept through its slots finds it here, and so does a cycle that took too long itself.
void HapticCycle::check_age() HAPTIC_REALTIME {
  const std::int64_t since = output_since_ns_ > 0 ? output_since_ns_ : begin_ns_;
  if (clock_.now_ns() - since > scene_->stale_ns) raise(FaultKind::kStaleCommand);
}

void HapticCycle::hear_actuation(DeviceStatus status) HAPTIC_REALTIME {
  switch (status) {
    case DeviceStatus::kOk:
    case DeviceStatus::kEndOfScript:
      return;
    case DeviceStatus::kDisconnected:
      raise(FaultKind::kDeviceLost);
      return;
    case DeviceStatus::kBadValue:
      raise(FaultKind::kWrenchNotFinite);
      return;
    case DeviceStatus::kImplausible:
      raise(FaultKind::kEncoderImplausible);
      return;
    case DeviceStatus::kOverheated:
      raise(FaultKind::kOverheated);
      return;
  }
}

// The world's wrench as it may go out, with the damping that keeps the port passive.
OutputGuard::Result HapticCycle::render(double ramp) HAPTIC_REALTIME {
  scene_->passivity.observe(hand_.pose);
  const Wrench& wanted = output_.device_wrench;
  const Wrench added = scene_->passivity.control({ramp * wanted.force, ramp * wanted.torque},
                                                 ramp * output_.stored_energy_J,
                                                 (ramp - last_ramp_) * output_.stored_energy_J);
  return scene_->guard.shape(wanted, ramp, added, hand_.twist);
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
  sample_.contacts = output_.contacts;
  sample_.visited_nodes = output_.visited_nodes;
  sample_.level = output_.level;
  sample_.node_budget = output_.node_budget;
  sample_.port_energy_J = scene_->passivity.energy();
  sample_.port_damping_N_s_m = scene_->passivity.damping();
  sample_.port_damping_Nm_s = scene_->passivity.rotational_damping();
  sample_.world_step =
      output_.world_step == WorldOutput::kEveryCycle ? cycle_ + 1 : output_.world_step;
  sample_.world_age_ns = output_.world_age_ns;
  sample_.wake_ns = slot.lateness_ns;
  sample_.sense_ns = sense_ns_;
  sample_.couple_ns = output_.times.couple_ns;
  sample_.touch_ns = output_.times.touch_ns;
  sample_.move_ns = output_.times.move_ns;
  sample_.feel_ns = feel_ns_;
  sample_.publish_ns = publish_ns_;
  sample_.total_ns = sense_ns_ + world_ns_ + feel_ns_ + publish_ns_;

  const auto poses = scene_->world.poses();
  const std::size_t count = std::min(poses.size(), scene_->poses.size());
  for (std::size_t i = 0; i < count; ++i) write(scene_->poses[i], poses[i]);
  Counters& counters = scene_->sink.statistics().counters;
  store_word(counters.cycles, cycle_ + 1);
  store_word(counters.missed, missed_);
  store_word(counters.allocations, LoopWatch::allocations());
  store_word(counters.forbidden_calls, forbidden_calls_);
  scene_->sink.publish(sample_, scene_->poses, scene_->world.coordinates());
  if (next_parameter_ >= kServoParameterCount + scene_->world.parameters().size())
    next_parameter_ = 0;
  scene_->sink.publish_parameter(next_parameter_, parameter(next_parameter_));
  ++next_parameter_;
}

void HapticCycle::let_go() HAPTIC_REALTIME {
  device_.set_enabled(false);
  // Nothing is left to react to a refusal.
  [[maybe_unused]] const DeviceStatus status = device_.actuate(scene_->guard.zero());
}

void HapticCycle::raise(FaultKind fault) HAPTIC_REALTIME {
  if (!machine_.raise(fault)) return;
  add_word(scene_->sink.statistics().counters.faults[static_cast<std::size_t>(fault)], 1);
}

// A cycle that never fits its period is no haptic loop: the force would be that of a past hand.
void HapticCycle::watch_load(std::int64_t total_ns) HAPTIC_REALTIME {
  if (total_ns <= period_ns_) {
    overruns_in_a_row_ = 0;
    return;
  }
  add_word(scene_->sink.statistics().counters.overruns, 1);
  if (++overruns_in_a_row_ > scene_->overload_cycles) raise(FaultKind::kOverload);
}

}  // namespace haptic
