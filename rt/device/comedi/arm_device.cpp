#include "rt/device/comedi/arm_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "shared/error.h"

namespace haptic {

namespace {

constexpr double kCompensationRampSeconds = 0.5;
// Shares of the period. A reading that has waited longer for its cycle is taken again, since the
// loop slipped; two that are closer give no speed: clock and counts are too coarse for it.
constexpr double kOldReading = 1.5, kShortestStep = 0.1;
// A gap in the readings is no proof that the arm stood still all along.
constexpr double kLongestStep = 10.0;

double seconds(std::int64_t from_ns, std::int64_t to_ns) HAPTIC_REALTIME {
  return 1e-9 * static_cast<double>(to_ns - from_ns);
}

std::vector<MotorLimits> motor_limits(const ArmSettings& arm) {
  std::vector<MotorLimits> limits;
  for (std::size_t i = 0; i < arm.motors; ++i) limits.push_back(arm.axes[i].motor);
  return limits;
}

std::vector<EncoderLimits> encoder_limits(const ArmSettings& arm) {
  std::vector<EncoderLimits> limits;
  for (const ArmAxis& axis : arm.axes) limits.push_back(axis.encoder);
  return limits;
}

}  // namespace

ArmDevice::ArmDevice(ArmSettings arm, const BoardSettings& wiring, std::unique_ptr<ArmBoard> board,
                     double rate_hz, std::optional<std::vector<std::uint32_t>> counts,
                     const Clock* clock)
    : arm_(std::move(arm)),
      wiring_(wiring),
      board_(std::move(board)),
      dt_(1.0 / rate_hz),
      time_(clock),
      output_timer_(dt_),
      axes_(arm_.axes.size()),
      link_(arm_.link, arm_.source),
      stage_(motor_limits(arm_), dt_, arm_.source),
      watch_(encoder_limits(arm_), arm_.source),
      counters_(axes_, CounterUnwrap(board_->description().counter_bits)),
      connections_(board_->connections()) {
  board_->make_safe();
  check_drives();
  rest(0.0);
  reading_.begin_ns = time_.now_ns();
  if (board_->exchange(outputs_, inputs_) != DeviceStatus::kOk) {
    throw OperationError(fmt::format("{}: board does not answer", wiring_.file.string()));
  }
  reading_.end_ns = time_.now_ns();
  taken_ = reading_;
  for (std::size_t i = 0; i < axes_; ++i) {
    counters_[i].start(inputs_.counts[i]);
    if (!counts) continue;
    // The shorter way round the counter from the calibration's reading.
    counters_[i].start((*counts)[i]);
    counters_[i].advance(inputs_.counts[i]);
  }
  homed_ = counts.has_value();
  locate();
  if (homed_ && plausible(dt_) != DeviceStatus::kOk) {
    throw OperationError(fmt::format(
        "{}: the counters put axes at [{:.3f}], outside the arm's ranges: the board was restarted "
        "since the calibration; run haptic calibrate",
        arm_.calibration_file.string(), fmt::join(coordinates(), ", ")));
  }
  watch_.restart();
  describe();
}

void ArmDevice::check_drives() const {
  const ArmBoard::Description& board = board_->description();
  if (board.outputs.size() < arm_.motors) {
    throw InputError(arm_.source, "board.outputs",
                     fmt::format("found {} outputs of {}", board.outputs.size(), board.board),
                     fmt::format("{}, one per motor", arm_.motors));
  }
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    const double needed = std::abs(arm_.axes[i].volts(arm_.axes[i].motor.torque));
    if (needed <= board.outputs[i].limit() * (1.0 + 1e-9)) continue;
    throw InputError(
        arm_.source, fmt::format("axis[{}].max_torque", i),
        fmt::format("found {:g} N·m, which takes {:.4g} V", arm_.axes[i].motor.torque, needed),
        fmt::format("a torque within the board's {:g} V", board.outputs[i].limit()));
  }
}

void ArmDevice::describe() {
  capabilities_.name = arm_.name;
  capabilities_.sensed_freedoms = axes_ == 6 ? 6 : 3;
  capabilities_.actuated_freedoms = arm_.motors == 6 ? 6 : 3;
  capabilities_.max_force = arm_.max_force;
  capabilities_.max_torque = arm_.max_torque;
  capabilities_.max_stiffness = arm_.max_stiffness;
  capabilities_.workspace_radius = arm_.workspace_radius;
  capabilities_.needs_homing = true;
  // One count of every axis at once, seen along the coarsest coordinate of the centre.
  SerialLink::Placement centre;
  std::vector<double> q = arm_.calibration_pose;
  if (axes_ == 3) q = coordinates_at(arm_, arm_.origin, q);
  link_.place(q, centre);
  for (int row = 0; row < 3; ++row) {
    double squares = 0.0;
    for (std::size_t k = 0; k < axes_; ++k) {
      const double moved = centre.jacobian(row, static_cast<Eigen::Index>(k)) * arm_.axes[k].step();
      squares += moved * moved;
    }
    capabilities_.resolution = std::max(capabilities_.resolution, std::sqrt(squares));
  }
}

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

// Counts to coordinates, speeds and the handle's place. A speed is the way since the last reading
// by the time that it took: after a gap, the average over the gap.
void ArmDevice::locate() HAPTIC_REALTIME {
  const double since = seconds(speed_ns_, reading_.end_ns);
  const bool step = !started_ || since >= kShortestStep * dt_;
  const double cutoff = 2.0 * std::numbers::pi * arm_.velocity_cutoff_hz;
  const double share = cutoff > 0.0 ? -std::expm1(-cutoff * since) : 1.0;
  for (std::size_t i = 0; i < axes_; ++i) {
    const ArmAxis& axis = arm_.axes[i];
    const double counts =
        static_cast<double>(axis.encoder_sign * (counters_[i].count() - zero_[i]));
    q_[i] = arm_.calibration_pose[i] + counts * axis.step();
    shaft_[i] = q_[i] * axis.ratio;
    if (!step) continue;
    speed_[i] = started_ ? speed_[i] + share * ((q_[i] - q_then_[i]) / since - speed_[i]) : 0.0;
    q_then_[i] = q_[i];
  }
  if (step) speed_ns_ = reading_.end_ns;
  started_ = true;
  link_.place(coordinates(), placement_);
}

DeviceStatus ArmDevice::plausible(double elapsed_s) HAPTIC_REALTIME {
  const DeviceStatus watched =
      watch_.check({shaft_.data(), axes_}, {torque_.data(), axes_}, elapsed_s);
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

// A converter that is stuck, or an output that something else holds.
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

// Still for long enough in the calibration pose: that is the zero.
void ArmDevice::home(double elapsed_s) HAPTIC_REALTIME {
  bool still = still_s_ > 0.0;
  for (std::size_t i = 0; i < axes_; ++i) {
    const std::int64_t moved = counters_[i].count() - held_[i];
    still = still && std::abs(static_cast<double>(moved)) <= arm_.hold_counts;
  }
  if (!still) {
    for (std::size_t i = 0; i < axes_; ++i) held_[i] = counters_[i].count();
    still_s_ = 0.0;
  }
  still_s_ += std::min(elapsed_s, kLongestStep * dt_);
  if (still_s_ < arm_.hold_s) return;
  for (std::size_t i = 0; i < axes_; ++i) zero_[i] = counters_[i].count();
  homed_ = true;
  started_ = false;
  watch_.restart();
}

// The board was away. Nobody has said yet that the arm is in its pose.
void ArmDevice::begin_again() HAPTIC_REALTIME {
  connections_ = board_->connections();
  for (std::size_t i = 0; i < axes_; ++i) counters_[i].start(inputs_.counts[i]);
  homed_ = may_home_ = started_ = false;
  still_s_ = 0.0;
  monitor_off_since_ns_ = 0;
  watch_.restart();
}

void ArmDevice::tell(DeviceState& state) const HAPTIC_REALTIME {
  state = DeviceState{};
  state.buttons = inputs_.buttons;
  state.emergency_stop = inputs_.stop;
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
  // The longest that it can have been: a call that was interrupted took its reading at any time.
  const double elapsed = std::max(seconds(taken_.begin_ns, reading_.end_ns), kShortestStep * dt_);
  taken_ = reading_;
  if (board_->connections() != connections_) {
    begin_again();
    // Lost once more, for the one to hear who reset the fault while the board was away: what homes
    // the arm is a reset that knows of its return.
    return DeviceStatus::kDisconnected;
  }
  for (std::size_t i = 0; i < axes_; ++i) counters_[i].advance(inputs_.counts[i]);
  if (!homed_ && may_home_) home(elapsed);
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
  // Without the slope through zero a single count's flicker would push to and fro.
  const double direction = std::clamp(speed_[axis] / arm_.friction_speed, -1.0, 1.0);
  return arm_.friction_share * (a.friction * direction + a.damping * speed_[axis]);
}

void ArmDevice::rest(double elapsed_s) HAPTIC_REALTIME {
  stage_.zero(elapsed_s);
  carried_ = 0.0;
  torque_.fill(0.0);
  volts_.fill(0.0);
  outputs_.enabled = false;
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    outputs_.codes[i] = board_->description().outputs[i].zero();
  }
}

DeviceStatus ArmDevice::pull(const Wrench& wrench, double elapsed_s) HAPTIC_REALTIME {
  Vector6 load;
  load << arm_.orientation * wrench.force, arm_.orientation * wrench.torque;
  if (arm_.motors < 6) load.tail<3>().setZero();
  carried_ = std::min(1.0, carried_ + std::min(elapsed_s, dt_) / kCompensationRampSeconds);
  PerAxis torque{}, velocity{};
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const double wanted =
        placement_.jacobian.col(column).dot(load) +
        carried_ * (arm_.gravity_share * placement_.gravity[column] + friction(i));
    torque[i] = wanted / arm_.axes[i].ratio;
    velocity[i] = speed_[i] * arm_.axes[i].ratio;
  }
  const DeviceStatus status =
      stage_.shape({torque.data(), arm_.motors}, {velocity.data(), arm_.motors}, elapsed_s);
  if (status != DeviceStatus::kOk) {
    rest(0.0);  // the stage has counted the time
    return status;
  }
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    const AnalogScale& scale = board_->description().outputs[i];
    torque_[i] = torque[i];
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
  if (status == DeviceStatus::kOk && enabled_ && good_ && homed_ && !inputs_.stop) {
    status = pull(wrench, elapsed);
  } else {
    rest(elapsed);
  }
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
