#include "rt/device/comedi/arm_device.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haptic {

namespace {

constexpr double kCompensationRampSeconds = 0.5;
// Fractions of the period. A reading older than kOldReading is taken again, because the loop was
// late. Readings closer than kMinStep give no speed: clock and counts are too coarse.
constexpr double kOldReading = 1.5, kMinStep = 0.1;
// A gap in the readings does not prove that the arm was at rest.
constexpr double kMaxStep = 10.0;

double seconds(std::int64_t from_ns, std::int64_t to_ns) HAPTIC_REALTIME {
  return 1e-9 * static_cast<double>(to_ns - from_ns);
}

}  // namespace

DeviceStatus ArmDevice::hear() HAPTIC_REALTIME {
  const std::int64_t now = time_.now_ns();
  const bool old = seconds(reading_.end_ns, now) > kOldReading * dt_;
  if (wiring_.reads_apart || !fresh_ || (old && heard_ == DeviceStatus::kOk)) {
    heard_ = board_->read(inputs_);
    reading_ = {now, time_.now_ns()};
  }
  fresh_ = false;
  return heard_;
}

// Counts to coordinates, speeds and position of the handle. A speed is the change since the last
// reading divided by the time between them: after a gap, the average over the gap.
void ArmDevice::locate() HAPTIC_REALTIME {
  const double since = seconds(speed_ns_, reading_.end_ns);
  const bool step = !started_ || since >= kMinStep * dt_;
  const double cutoff = 2.0 * std::numbers::pi * arm_.velocity_cutoff_hz;
  const double gain = cutoff > 0.0 ? -std::expm1(-cutoff * since) : 1.0;
  for (std::size_t i = 0; i < axes_; ++i) {
    const ArmAxis& axis = arm_.axes[i];
    const double counts =
        static_cast<double>(axis.encoder_sign * (counters_[i].count() - zero_[i]));
    q_[i] = arm_.calibration_pose[i] + counts * axis.step();
    shaft_[i] = q_[i] * axis.ratio;
    if (!step) continue;
    speed_[i] = started_ ? speed_[i] + gain * ((q_[i] - q_then_[i]) / since - speed_[i]) : 0.0;
    q_then_[i] = q_[i];
  }
  if (step) speed_ns_ = reading_.end_ns;
  started_ = true;
  link_.place(coordinates(), placement_);
}

DeviceStatus ArmDevice::plausible(double elapsed_s) HAPTIC_REALTIME {
  const DeviceStatus watched =
      watch_.check({shaft_.data(), axes_}, {torque_.data(), axes_}, elapsed_s);
  if (watched == DeviceStatus::kImplausible && watch_.jumped()) lose_zero();
  if (watched != DeviceStatus::kOk) return watched;
  for (std::size_t i = 0; i < axes_; ++i) {
    const ArmAxis& axis = arm_.axes[i];
    if (q_[i] < axis.minimum - arm_.range_margin || q_[i] > axis.maximum + arm_.range_margin) {
      return DeviceStatus::kImplausible;
    }
  }
  if (link_.out_of_range(coordinates(), arm_.range_margin) != axes_) {
    return DeviceStatus::kImplausible;
  }
  return outputs_follow() ? DeviceStatus::kOk : DeviceStatus::kImplausible;
}

// Detects a converter that is stuck, or an output that is driven by something else.
bool ArmDevice::outputs_follow() HAPTIC_REALTIME {
  const std::vector<AnalogScale>& monitor = board_->description().monitor;
  bool off = false;
  for (std::size_t i = 0; i < monitor.size() && i < arm_.motors; ++i) {
    const double wanted = board_->description().outputs[i].volts(outputs_.codes[i]);
    const double found = monitor[i].volts(inputs_.monitor[i]);
    off = off || std::abs(found - wanted) > wiring_.monitor_volts;
  }
  if (!off) {
    monitor_off_since_ns_ = 0;
  } else if (monitor_off_since_ns_ == 0) {
    monitor_off_since_ns_ = reading_.end_ns;
  }
  return !off || seconds(monitor_off_since_ns_, reading_.end_ns) <= wiring_.monitor_s;
}

void ArmDevice::home() HAPTIC_REALTIME {
  if (!may_home_) still_s_ = 0.0;  // a repeated command keeps the time at rest so far
  may_home_ = !homed_;
  since_confirmation_s_ = 0.0;
}

// Still for long enough in the calibration pose: that is the zero.
void ArmDevice::find_zero(double elapsed_s) HAPTIC_REALTIME {
  since_confirmation_s_ += elapsed_s;
  may_home_ = since_confirmation_s_ <= kHomingConfirmation_s;
  if (!may_home_) return;
  bool still = still_s_ > 0.0;
  for (std::size_t i = 0; i < axes_; ++i) {
    const std::int64_t moved = counters_[i].count() - held_[i];
    still = still && std::abs(static_cast<double>(moved)) <= arm_.hold_counts;
  }
  if (!still) {
    for (std::size_t i = 0; i < axes_; ++i) held_[i] = counters_[i].count();
    still_s_ = 0.0;
  }
  still_s_ += std::min(elapsed_s, kMaxStep * dt_);
  if (still_s_ < arm_.hold_s) return;
  for (std::size_t i = 0; i < axes_; ++i) zero_[i] = counters_[i].count();
  homed_ = true;
  may_home_ = false;
  started_ = false;
  watch_.restart();
}

// The board was disconnected. The operator has not yet confirmed that the arm is in its pose.
void ArmDevice::begin_again() HAPTIC_REALTIME {
  connections_ = board_->connections();
  for (std::size_t i = 0; i < axes_; ++i) counters_[i].start(inputs_.counts[i]);
  monitor_off_since_ns_ = 0;
  lose_zero();
}

void ArmDevice::lose_zero() HAPTIC_REALTIME {
  homed_ = may_home_ = started_ = false;
  still_s_ = 0.0;
  watch_.restart();
}

void ArmDevice::watch_stop_channels() HAPTIC_REALTIME {
  if (!inputs_.stop_channels_differ) {
    differ_since_ns_ = 0;
    if (inputs_.stop) discrepant_ = false;
    return;
  }
  if (differ_since_ns_ == 0) differ_since_ns_ = reading_.end_ns;
  discrepant_ =
      discrepant_ || seconds(differ_since_ns_, reading_.end_ns) > wiring_.stop_discrepancy_s;
}

void ArmDevice::tell(DeviceState& state) const HAPTIC_REALTIME {
  state = DeviceState{};
  state.buttons = inputs_.buttons;
  state.emergency_stop = inputs_.stop;
  state.stop_channels_disagree = discrepant_;
  state.homed = homed_;
  if (!homed_) return;
  const Quaternion to_device = arm_.orientation.conjugate();
  state.pose.position = to_device * (placement_.position - arm_.origin);
  if (axes_ == 6) state.pose.orientation = to_device * placement_.orientation * arm_.orientation;
  Vector6 twist = Vector6::Zero();
  for (std::size_t i = 0; i < axes_; ++i) {
    twist += placement_.jacobian.col(static_cast<Eigen::Index>(i)) * speed_[i];
  }
  state.twist.linear = to_device * twist.head<3>();
  if (axes_ == 6) state.twist.angular = to_device * twist.tail<3>();
}

DeviceStatus ArmDevice::sense(DeviceState& state) HAPTIC_REALTIME {
  good_ = false;
  const DeviceStatus heard = hear();
  if (heard != DeviceStatus::kOk) return heard;
  // The longest possible time: an interrupted call may have taken its reading at any moment.
  const double elapsed = std::max(seconds(taken_.begin_ns, reading_.end_ns), kMinStep * dt_);
  taken_ = reading_;
  watch_stop_channels();
  if (board_->connections() != connections_) {
    begin_again();
    // Reported as lost again if the fault was reset while the board was disconnected: only a reset
    // after the return of the board lets the arm home.
    return DeviceStatus::kDisconnected;
  }
  for (std::size_t i = 0; i < axes_; ++i) counters_[i].advance(inputs_.counts[i]);
  if (!homed_ && may_home_) find_zero(elapsed);
  locate();
  if (homed_) {
    const DeviceStatus status = plausible(elapsed);
    if (status != DeviceStatus::kOk) return status;
  }
  tell(state);
  good_ = true;
  return DeviceStatus::kOk;
}

double ArmDevice::friction(std::size_t axis) const HAPTIC_REALTIME {
  const ArmAxis& a = arm_.axes[axis];
  // Without the slope through zero, a reading that flickers by one count would push in both
  // directions.
  const double direction = std::clamp(speed_[axis] / arm_.friction_speed, -1.0, 1.0);
  return arm_.friction_compensation * (a.friction * direction + a.damping * speed_[axis]);
}

void ArmDevice::rest(double elapsed_s) HAPTIC_REALTIME {
  stage_.zero(elapsed_s);
  carried_ = 0.0;
  torque_.fill(0.0);
  volts_.fill(0.0);
  pulling_since_ns_ = 0;
  outputs_.enabled = outputs_.brake_released = false;
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    outputs_.codes[i] = board_->description().outputs[i].zero();
  }
}

DeviceStatus ArmDevice::pull(const Wrench& wrench, std::int64_t now_ns,
                             double elapsed_s) HAPTIC_REALTIME {
  Vector6 load;
  load << arm_.orientation * wrench.force, arm_.orientation * wrench.torque;
  if (arm_.motors < 6) load.tail<3>().setZero();
  carried_ = std::min(1.0, carried_ + std::min(elapsed_s, dt_) / kCompensationRampSeconds);
  PerAxis torque{}, velocity{};
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const double wanted =
        placement_.jacobian.col(column).dot(load) +
        carried_ * (arm_.gravity_compensation * placement_.gravity[column] + friction(i));
    torque[i] = wanted / arm_.axes[i].ratio;
    velocity[i] = speed_[i] * arm_.axes[i].ratio;
  }
  const DeviceStatus status =
      stage_.shape({torque.data(), arm_.motors}, {velocity.data(), arm_.motors}, elapsed_s);
  if (status != DeviceStatus::kOk) {
    rest(0.0);  // the stage has counted the time
    return status;
  }
  if (pulling_since_ns_ == 0) pulling_since_ns_ = now_ns;
  outputs_.brake_released = seconds(pulling_since_ns_, now_ns) >= wiring_.brake_release_s;
  const bool held = wiring_.brake_channel && !outputs_.brake_released;
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    const AnalogScale& scale = board_->description().outputs[i];
    torque_[i] = held ? 0.0 : torque[i];  // a joint that a brake holds is not stuck
    volts_[i] = arm_.axes[i].volts(torque[i]);
    outputs_.codes[i] = scale.code(volts_[i]);
  }
  outputs_.enabled = true;
  return status;
}

DeviceStatus ArmDevice::actuate(const Wrench& wrench) HAPTIC_REALTIME {
  DeviceStatus status = DeviceStatus::kOk;
  if (!is_finite(wrench)) status = DeviceStatus::kBadValue;
  const std::int64_t now = time_.now_ns();
  const double elapsed = output_timer_.advance(now);
  if (status == DeviceStatus::kOk && enabled_ && good_ && homed_ && !inputs_.stop && !discrepant_) {
    status = pull(wrench, now, elapsed);
  } else {
    rest(elapsed);
  }
  outputs_.heartbeat = !outputs_.heartbeat;
  if (wiring_.reads_apart) {
    const DeviceStatus written = board_->write(outputs_);
    return written != DeviceStatus::kOk ? written : status;
  }
  heard_ = board_->exchange(outputs_, inputs_);
  reading_ = {now, time_.now_ns()};
  fresh_ = true;
  return heard_ != DeviceStatus::kOk ? heard_ : status;
}

}  // namespace haptic
