#include "rt/device/motor_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kCopper = 0.00393;      // of the resistance, per K
constexpr double kRatedAt_C = 25.0;      // where a data sheet's resistance is valid
constexpr double kHottest_C = 10'000.0;  // bounds the estimate where heating outruns cooling

void require(bool valid, std::string_view source, std::size_t motor, const char* key, double found,
             const char* expected) {
  if (valid) return;
  throw InputError(source, fmt::format("motor {}: {}", motor + 1, key),
                   fmt::format("found {}", found), expected);
}

void check(const MotorLimits& m, std::string_view source, std::size_t i) {
  const auto at_least_0 = [](double x) { return x >= 0.0 && std::isfinite(x); };
  require(m.torque >= 0.0, source, i, "torque", m.torque, "a number >= 0 [N·m]");
  require(m.slew > 0.0, source, i, "slew", m.slew, "a number > 0 [N·m/s]");
  require(m.power >= 0.0, source, i, "power", m.power, "a number >= 0 [W]");
  require(m.torque_constant > 0.0 && std::isfinite(m.torque_constant), source, i, "torque_constant",
          m.torque_constant, "a number > 0 [N·m/A]");
  require(at_least_0(m.resistance), source, i, "resistance", m.resistance, "a number >= 0 [ohm]");
  require(at_least_0(m.thermal_resistance), source, i, "thermal_resistance", m.thermal_resistance,
          "a number >= 0 [K/W]");
  require(m.thermal_time_s > 0.0 && std::isfinite(m.thermal_time_s), source, i, "thermal_time_s",
          m.thermal_time_s, "a number > 0 [s]");
  require(std::isfinite(m.ambient_C) && m.ambient_C > -100.0, source, i, "ambient_C", m.ambient_C,
          "a number > -100 [C]");
  require(m.max_C > m.ambient_C, source, i, "max_C", m.max_C, "a number > ambient_C [C]");
}

}  // namespace

MotorStage::MotorStage(std::span<const MotorLimits> limits, double dt, std::string_view source)
    : dt_(dt) {
  if (!(dt > 0.0 && std::isfinite(dt))) {
    throw InputError(source, "dt", fmt::format("found {}", dt), "a number > 0 [s]");
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    check(limits[i], source, i);
    motors_.push_back({limits[i], 0.0, limits[i].ambient_C});
  }
}

DeviceStatus MotorStage::shape(std::span<double> torque, std::span<const double> velocity,
                               double elapsed_s) HAPTIC_REALTIME {
  pass(elapsed_s);
  bool good = torque.size() == motors_.size() && velocity.size() == motors_.size() &&
              elapsed_s >= 0.0 && std::isfinite(elapsed_s);
  for (std::size_t i = 0; good && i < motors_.size(); ++i) {
    good = std::isfinite(torque[i]) && std::isfinite(velocity[i]);
  }
  const bool warm = std::any_of(motors_.begin(), motors_.end(), [](const Motor& motor) {
    return motor.celsius > motor.limits.max_C;
  });
  if (!good || warm) {
    release();
    std::fill(torque.begin(), torque.end(), 0.0);
    return good ? DeviceStatus::kOverheated : DeviceStatus::kBadValue;
  }
  limited_ = false;
  // A late output makes no larger step than a timely one, because the hand feels the step.
  const double slewed_s = std::clamp(elapsed_s, 0.0, dt_);
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    const double allowed = limit(motors_[i], torque[i], velocity[i], slewed_s);
    limited_ = limited_ || allowed != torque[i];
    torque[i] = allowed;
    motors_[i].torque = allowed;
  }
  return DeviceStatus::kOk;
}

void MotorStage::zero(double elapsed_s) HAPTIC_REALTIME {
  pass(elapsed_s);
  release();
}

void MotorStage::release() HAPTIC_REALTIME {
  limited_ = false;
  for (Motor& motor : motors_) motor.torque = 0.0;
}

// Applies the time for which the last outputs acted.
void MotorStage::pass(double elapsed_s) HAPTIC_REALTIME {
  if (!(elapsed_s > 0.0)) return;
  for (Motor& motor : motors_) heat(motor, elapsed_s);
}

double MotorStage::temperature(std::size_t motor) const HAPTIC_REALTIME {
  return motor < motors_.size() ? motors_[motor].celsius : kRatedAt_C;
}

double MotorStage::limit(const Motor& motor, double torque, double velocity,
                         double dt) HAPTIC_REALTIME {
  const MotorLimits& limits = motor.limits;
  double most = limits.torque;
  double out = std::clamp(torque, -most, most);
  const double change = limits.slew * dt;
  out = std::clamp(out, motor.torque - change, motor.torque + change);
  // Only a motor that drives gives power; one that brakes takes it from the hand.
  if (out * velocity > limits.power) most = std::min(most, limits.power / std::abs(velocity));
  return std::clamp(out, -most, most);
}

// With B = thermal resistance i² R(25 °C), copper's a and x = seconds / thermal time, the winding
// follows dT/dx = ambient - T + B (1 + a (T - 25)), which is linear in T: from T its change is the
// right-hand side at T, times (1 - exp(-g x)) / g with g = 1 - a B. g < 0 is thermal runaway.
void MotorStage::heat(Motor& motor, double seconds) HAPTIC_REALTIME {
  const MotorLimits& limits = motor.limits;
  const double ampere = motor.torque / limits.torque_constant;
  const double gain = limits.thermal_resistance * ampere * ampere * limits.resistance;  // B [K]
  const double g = 1.0 - kCopper * gain;
  const double x = seconds / limits.thermal_time_s;
  const double rate =
      limits.ambient_C - motor.celsius + gain * (1.0 + kCopper * (motor.celsius - kRatedAt_C));
  const double response = std::abs(g * x) > 1e-12 ? -std::expm1(-g * x) / g : x;
  const double after = motor.celsius + rate * response;
  // Not finite only after thermal runaway beyond the range of a double.
  motor.celsius = std::isfinite(after) ? std::min(after, kHottest_C) : kHottest_C;
}

}  // namespace haptic
