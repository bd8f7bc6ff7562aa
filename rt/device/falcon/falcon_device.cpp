#include "rt/device/falcon/falcon_device.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/error.h"

namespace haptic {
namespace {

// A reply takes a millisecond. Two replies that arrive closer together were read further apart.
constexpr double kExchange = 1e-3;  // s

double checked_rate(double rate_hz, const std::string& source) {
  if (rate_hz > 0.0 && std::isfinite(rate_hz)) return rate_hz;
  throw InputError(source, "rate_hz", fmt::format("found {}", rate_hz), "a number > 0 [Hz]");
}

// The largest displacement of the grip for one count, at the centre.
double resolution(const FalconSettings& settings) {
  Vector3 angles;
  Matrix3 jacobian;
  if (!FalconKinematics(settings.geometry).inverse(settings.centre, angles, jacobian)) {
    throw InputError(settings.source, "geometry", "legs that do not reach the centre");
  }
  const Matrix3 grip_per_joint = jacobian.inverse();
  return settings.geometry.radians_per_count * grip_per_joint.colwise().norm().maxCoeff();
}

}  // namespace

FalconDevice::FalconDevice(const FalconSettings& settings, double rate_hz, const Clock* clock)
    : settings_(settings),
      kinematics_(settings.geometry),
      stage_(std::array{settings.motor, settings.motor, settings.motor},
             1.0 / checked_rate(rate_hz, settings.source), settings.source),
      watch_(std::array{settings.encoder, settings.encoder, settings.encoder}, settings.source),
      time_(clock),
      output_timer_(1.0 / rate_hz),
      largest_joint_torque_(std::min(settings.motor.torque * settings.gear_ratio,
                                     settings.largest_unit / std::abs(settings.units_per_torque))),
      grip_(settings.centre) {
  capabilities_.name = settings_.name;
  capabilities_.sensed_freedoms = 3;
  capabilities_.actuated_freedoms = 3;
  capabilities_.max_force = settings.max_force;
  capabilities_.max_torque = 0.0;
  capabilities_.max_stiffness = settings.max_stiffness;
  capabilities_.limits = settings.limits;
  capabilities_.workspace_radius = settings.workspace_radius;
  capabilities_.needs_homing = true;
  capabilities_.enable_button = settings.enable_button;
  capabilities_.resolution = resolution(settings);
}

DeviceStatus FalconDevice::sense(DeviceState& state) HAPTIC_REALTIME {
  exchange_.status.update();
  const FalconStatus& latest = exchange_.status.newest();
  const std::int64_t now = time_.now_ns();
  up_ = latest.state == FalconLinkState::kRunning && latest.reports > 0;
  DeviceStatus status = DeviceStatus::kOk;
  if (up_ && (latest.reports != reports_ || latest.counters.connections != connections_)) {
    seen_ns_ = now;
    stalled_ = false;
    status = take(latest);
  }
  watch_thread(now);
  up_ = up_ && 1e-9 * static_cast<double>(now - seen_ns_) <= settings_.stale_s;
  if (!up_) {
    restart_measurement();
    status = DeviceStatus::kDisconnected;
  }
  const bool homed = up_ && homed_ == 0b111;
  state = DeviceState{};
  state.homed = homed;
  state.buttons = buttons_;
  if (up_) state.taken_ns = report_ns_;
  if (homed) {
    state.pose.position = grip_ - settings_.centre;
    state.twist.linear = grip_per_joint_ * joint_speed_;
  }
  return status;
}

void FalconDevice::watch_thread(std::int64_t now_ns) HAPTIC_REALTIME {
  if (exchange_.status.newest().state != FalconLinkState::kRunning) {
    stalled_ = false;
    return;
  }
  const std::int64_t beat_ns = exchange_.beat_ns.load(std::memory_order_acquire);
  const bool silent = 1e-9 * static_cast<double>(now_ns - beat_ns) > settings_.stall_s;
  stalled_ = stalled_ || (silent && exchange_.torque.load(std::memory_order_acquire));
}

// A report that has not been seen yet.
DeviceStatus FalconDevice::take(const FalconStatus& latest) HAPTIC_REALTIME {
  // Homing moves the counts' zero, and so may whatever happened while the link was away.
  if (latest.counters.connections != connections_ || latest.report.homed != homed_)
    restart_measurement();
  const double elapsed = 1e-9 * static_cast<double>(latest.time_ns - report_ns_);
  connections_ = latest.counters.connections;
  reports_ = latest.reports;
  report_ns_ = latest.time_ns;
  homed_ = latest.report.homed;
  buttons_ = latest.report.buttons;
  if (homed_ != 0b111) return DeviceStatus::kOk;

  speed_.push(latest.report.encoders, latest.time_ns);
  std::array<double, 3> angles;
  for (std::size_t i = 0; i < 3; ++i) {
    angles[i] = kinematics_.angle(latest.report.encoders[i]);
    joint_speed_[static_cast<Eigen::Index>(i)] =
        settings_.geometry.radians_per_count * speed_.speed(i);
  }
  const DeviceStatus plausible = watch_.check(angles, motor_torque_, std::max(elapsed, kExchange));
  if (plausible != DeviceStatus::kOk) return plausible;
  return locate(latest.report) ? DeviceStatus::kOk : DeviceStatus::kBadValue;
}

bool FalconDevice::locate(const FalconReport& report) HAPTIC_REALTIME {
  Vector3 angles;
  for (int i = 0; i < 3; ++i) {
    angles[i] = kinematics_.angle(report.encoders[static_cast<std::size_t>(i)]);
  }
  Vector3 found = grip_;
  bool reached = kinematics_.forward(angles, found);
  if (!reached) {
    found = settings_.centre;
    reached = kinematics_.forward(angles, found);
  }
  Matrix3 joint_per_grip;
  if (!reached || !kinematics_.inverse(found, angles, joint_per_grip)) return false;
  grip_ = found;
  grip_per_joint_ = joint_per_grip.inverse();
  return true;
}

void FalconDevice::restart_measurement() HAPTIC_REALTIME {
  speed_.restart();
  watch_.restart();
  homed_ = 0;
  buttons_ = 0;
  grip_ = settings_.centre;
  joint_speed_.setZero();
}

DeviceStatus FalconDevice::actuate(const Wrench& wrench) HAPTIC_REALTIME {
  FalconOrder& order = exchange_.orders.draft();
  order = FalconOrder{};
  const bool homed = up_ && homed_ == 0b111;
  const FalconLights& lights = settings_.lights;
  order.leds = lights.bits(!homed ? lights.homing : enabled_ ? lights.engaged : lights.ready);
  DeviceStatus status = up_ ? DeviceStatus::kOk : DeviceStatus::kDisconnected;
  if (up_ && !wrench.force.allFinite()) status = DeviceStatus::kBadValue;
  motor_torque_ = {};
  const std::int64_t now = time_.now_ns();
  const double elapsed = output_timer_.advance(now);
  watch_thread(now);
  if (homed && enabled_ && status == DeviceStatus::kOk) {
    // Scales all three by one factor if one exceeds the limit, so that the force keeps its
    // direction.
    Vector3 joint_torque = grip_per_joint_.transpose() * wrench.force;
    const double most = std::max({std::abs(joint_torque[0]), std::abs(joint_torque[1]),
                                  std::abs(joint_torque[2]), largest_joint_torque_});
    joint_torque *= largest_joint_torque_ / most;
    std::array<double, 3> speed;
    for (std::size_t i = 0; i < 3; ++i) {
      motor_torque_[i] = joint_torque[static_cast<Eigen::Index>(i)] / settings_.gear_ratio;
      speed[i] = joint_speed_[static_cast<Eigen::Index>(i)] * settings_.gear_ratio;
    }
    status = stage_.shape(motor_torque_, speed, elapsed);
    order.motors =
        units(settings_.gear_ratio * Vector3(motor_torque_[0], motor_torque_[1], motor_torque_[2]));
  } else {
    stage_.zero(elapsed);
  }
  exchange_.orders.publish();
  return status;
}

// Clamped before the conversion to 16-bit integers, which would wrap to the opposite torque.
std::array<std::int16_t, 3> FalconDevice::units(const Vector3& joint_torque) const HAPTIC_REALTIME {
  const double most = settings_.largest_unit;
  std::array<std::int16_t, 3> motors{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double wanted = settings_.units_per_torque * joint_torque[static_cast<Eigen::Index>(i)];
    if (std::isfinite(wanted)) {
      motors[i] = static_cast<std::int16_t>(std::lround(std::clamp(wanted, -most, most)));
    }
  }
  return motors;
}

}  // namespace haptic
